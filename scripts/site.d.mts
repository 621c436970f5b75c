export function writeSite(root: string, target: string): number;
export function siteFiles(root: string): ReadonlyMap<string, string | Buffer>;
export function outputPath(source: string): string;
export function navigation(contents: string): readonly {
  readonly title: string;
  readonly pages: readonly { readonly title: string; readonly source: string }[];
}[];
