/** The generated files below a root and their contents. */
export function pluginFiles(root: string): Promise<ReadonlyMap<string, string>>;

/** Links that add the MCP server to an editor: for the editor itself, and a redirect for pages that only link to https. */
export function installLinks(): readonly {
  readonly editor: string;
  readonly link: string;
  readonly web: string;
}[];
