import { languageOf } from "../../../src/core/checks/tamper/languages.ts";
import { mask } from "../../../src/core/checks/tamper/source.ts";
import { detectTampering, fragmentTampering } from "../../../src/core/checks/tamper.ts";
import { holds, same } from "../check.ts";

const SEPARATOR = "\n=====\n";

/** The first line is the path of a file; its text before and after follows. */
export function fuzz(bytes: Buffer): void {
  const text = bytes.toString();
  const [path = ""] = text.split("\n", 1);
  const [before = "", after = null] = text.slice(path.length + 1).split(SEPARATOR);
  const warnings = detectTampering([{ path, before, after }]);
  const lines = (after ?? "").split(/\r\n|[\n\r\u2028\u2029]/).length;
  for (const { line, text: shown } of warnings) {
    holds("the line is in the new file", line === null || (line >= 1 && line <= lines));
    holds("the text is one bounded line", !/[\n\r]/.test(shown) && shown.length <= 200);
  }
  fragmentTampering({ path, before, after });
  same("warnings without a change", detectTampering([{ path, before, after: before }]), []);
  const language = languageOf(path);
  if (!language) return;
  const { plain, code } = mask(before, language);
  same("length of the masked text", [plain.length, code.length], [before.length, before.length]);
}
