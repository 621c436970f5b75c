/** A file of SQL, bundled as text. */
declare module "*.sql" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the form of every import with type "text"
  export default text;
}
