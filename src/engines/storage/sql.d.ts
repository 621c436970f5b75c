/** An SQL file, bundled as text. */
declare module "*.sql" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: imports with type "text" have a default export
  export default text;
}
