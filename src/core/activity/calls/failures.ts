/**
 * Lines that report a failure: marks and words of test runners, compilers and shells. A count of zero
 * (`0 failed`) and a passed test whose name has such a word are none.
 */
const FAILURE =
  /^\s*(?:FAIL(?:ED)?\b|ERROR\b|Error:|error(?:\[\w+\])?:|fatal:|panic:|not ok\b|Traceback \(most recent|[\u2717\u2718\u2716\u00d7\u2a2f]\s|--- FAIL:)|(?<!\b0 )\b[1-9]\d* (?:failed|failures?|errors?)\b|\b(?:Assertion|Type|Reference|Syntax|Range|Value|Key|Attribute|Import|Name|Runtime)Error\b|: error(?: TS\d+)?:|\bthread '.{0,200}' panicked\b|\bnpm ERR!|: (?:command not found|No such file or directory|Permission denied)\s*$/;
const PASSED = /^\s*(?:[\u2713\u2714\u221a]|ok\b|PASS(?:ED)?\b)/;
/** Longer lines are searched only up to here. */
const SEARCHED = 2_000;

/** The indexes of the lines that report a failure. The lines must be plain text. */
export function failureLines(lines: readonly string[]): readonly number[] {
  return lines.flatMap((line, index) => {
    const text = line.slice(0, SEARCHED);
    return FAILURE.test(text) && !PASSED.test(text) ? [index] : [];
  });
}

/** Lines before the first failure that are shown with it. */
const CONTEXT = 3;

/** The first line to show: shortly before the first failure, otherwise the first line. */
export function firstShown(failures: readonly number[]): number {
  return Math.max(0, (failures[0] ?? 0) - CONTEXT);
}
