import {
  exitOfText,
  exitOfValue,
  headerCode,
} from "../../../src/core/activity/evidence/exit-code.ts";
import { checkEndOf, emptySuccess } from "../../../src/core/activity/evidence/result.ts";
import { ranNoTests, runnerResult } from "../../../src/core/activity/evidence/runner-summary.ts";
import { ansiLines, withoutAnsi } from "../../../src/core/text/ansi.ts";
import { holds, same } from "../check.ts";

/** The output of a command. */
export function fuzz(bytes: Buffer): void {
  const output = bytes.toString();
  runnerResult(output);
  ranNoTests(output);
  const header = headerCode(output);
  holds("an exit code is an integer", header === undefined || Number.isInteger(header));
  for (const exit of [exitOfText(output), exitOfValue({ output })])
    holds("an exit has a code", !exit || !("code" in exit) || Number.isInteger(exit.code));
  emptySuccess(output);
  const end = checkEndOf({ failed: true, output });
  holds("a failed call proves nothing", end.result !== "passed");
  const plain = withoutAnsi(output);
  holds("no control character is left", !/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/.test(plain));
  same("no sequence is left", withoutAnsi(plain), plain);
  same("one line for each", ansiLines(output).length, output.split(/\r?\n/).length);
}
