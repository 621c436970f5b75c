export interface CodeBlock {
  readonly language: string;
  readonly code: string;
  /** The HTML comment directly above the block. */
  readonly comment: string | undefined;
  /** The title of the section that the block is in. */
  readonly heading: string;
}
export function readMarkdown(text: string): {
  readonly headings: readonly {
    readonly depth: number;
    readonly title: string;
    readonly anchor: string;
  }[];
  readonly links: readonly { readonly target: string; readonly isImage: boolean }[];
  readonly blocks: readonly CodeBlock[];
};
export function slugger(): (title: string) => string;
