/**
 * core/checks: signs that the checks themselves were made weaker during the work. `detectTampering`
 * compares files before and after; `tamper/` has one file for each kind of comparison, and the texts.
 */
import { oneLine } from "../text/escape.ts";
import { scriptSigns } from "./tamper/scripts.ts";
import type { Sign } from "./tamper/signs.ts";
import { snapshotSigns } from "./tamper/snapshots.ts";
import { testSigns } from "./tamper/tests.ts";
import type { FileChange, TamperWarning } from "./tamper/warning.ts";

export { TAMPER_TEXTS, tamperNotice } from "./tamper/texts.ts";
export {
  type FileChange,
  TAMPER_KINDS,
  type TamperKind,
  type TamperWarning,
} from "./tamper/warning.ts";

const MAX_WARNINGS = 100;
const MAX_TEXT = 160;

/**
 * Lists changes that make checks weaker: skipped, removed or emptied tests, rewritten snapshots,
 * changed check commands, lowered thresholds and ignored exit codes. Moved, renamed, reformatted and
 * added tests are no signs.
 *
 * @param changes every file that differs, with its text before and after
 * @returns at most 100 warnings, each with the line in the new file
 */
export function detectTampering(changes: readonly FileChange[]): readonly TamperWarning[] {
  return quoted(changes, [
    ...testSigns(changes),
    ...snapshotSigns(changes),
    ...scriptSigns(changes),
  ]);
}

/** The same for a part of one file. The line in the file is unknown. */
export function fragmentTampering(change: FileChange): readonly TamperWarning[] {
  const changes = [change];
  const signs = [
    ...testSigns(changes, true),
    ...snapshotSigns(changes, true),
    ...scriptSigns(changes),
  ];
  return quoted(changes, signs).map((warning) => ({ ...warning, line: null }));
}

function quoted(changes: readonly FileChange[], signs: readonly Sign[]): readonly TamperWarning[] {
  const seen = new Set<string>();
  const warnings: TamperWarning[] = [];
  for (const sign of signs) {
    const { kind, file, line } = sign;
    const text = quotedText(changes, sign);
    const key = `${kind}\n${file}\n${line ?? text}`;
    if (seen.has(key)) continue;
    seen.add(key);
    warnings.push({ kind, file, line, text });
    if (warnings.length === MAX_WARNINGS) break;
  }
  return warnings;
}

/** The lost text if the sign has one, otherwise the line in the new file. */
function quotedText(changes: readonly FileChange[], { file, line, text }: Sign): string {
  const change = changes.find(({ path }) => path === file);
  const own = line === null ? undefined : change?.after?.split("\n")[line - 1];
  return oneLine((text ?? own ?? "").slice(0, 2 * MAX_TEXT)).slice(0, MAX_TEXT);
}
