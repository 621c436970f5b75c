import { parseMarkdown, printMarkdown } from "../../../src/core/list/markdown.ts";
import { same } from "../check.ts";

/** A printed list is read again without loss. */
export function fuzz(bytes: Buffer): void {
  const { drafts } = parseMarkdown(bytes.toString());
  const printed = printMarkdown(drafts);
  const again = parseMarkdown(printed);
  same("drafts of the printed list", again.drafts, drafts);
  same("problems of the printed list", again.problems, []);
  same("the list printed again", printMarkdown(again.drafts), printed);
}
