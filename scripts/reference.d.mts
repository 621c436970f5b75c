export interface DocumentedExport {
  readonly name: string;
  readonly type: string;
  readonly comment: string;
  readonly declarations: readonly string[];
  readonly parameters: readonly (string | undefined)[];
}
export function exportsOf(file: string, text: string): readonly DocumentedExport[];
export function tagsOf(comment: string): {
  readonly text: string;
  readonly tags: readonly { readonly tag: string; readonly text: string }[];
};
export function referencePages(
  entries: readonly { readonly name: string; readonly file: string; readonly text: string }[],
): Readonly<Record<string, string>>;
