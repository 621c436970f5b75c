/**
 * Recognizes the summary lines of test runners, compilers and linters. Every pattern is anchored at the
 * start of a line, so a test title or a log message that contains "failed" does not match.
 */
interface Runner {
  readonly runner: string;
  readonly failed: RegExp;
  readonly passed?: RegExp;
}

const COUNT = String.raw`[1-9][\d,]*`;

/** A pattern at the start of a line. */
function line(pattern: TemplateStringsArray, ...counts: readonly string[]): RegExp {
  return new RegExp(`^(?:${String.raw(pattern, ...counts)})`, "m");
}

const RUNNERS: readonly Runner[] = [
  {
    runner: "vitest, jest",
    failed: line`[ \t]*(?:Tests|Test Files|Test Suites|Snapshots):?\s+(?:.*[ ,|])?${COUNT} failed\b|[ \t]*FAIL\s+\S|[ \t]*Errors?\s+${COUNT} errors?$`,
    passed: line`[ \t]*Tests:?\s+(?:[^\n]*[ ,|])?${COUNT} passed\b`,
  },
  {
    runner: "pytest, playwright, ava",
    failed: line`[ \t=!]*(?:\d+ \w+, )*${COUNT} (?:tests? )?(?:failed|errors?|interrupted)\b(?:[ ,.]|$)|=+ (?:FAILURES|ERRORS) =+|FAILED\b`,
    passed: line`[ \t=]*(?:\d+ \w+, )*${COUNT} (?:tests? )?passed\b(?:.*\bin [\d.]+ ?m?s|[ \t]*\([\d.]+ ?(?:ms|s|m)\)|$)`,
  },
  {
    runner: "unittest, Django",
    failed: line`FAILED \((?:failures|errors|unexpected successes)=`,
    passed: line`Ran ${COUNT} tests? in [^\n]+\n\s*OK(?: \([^\n]*\))?$`,
  },
  {
    runner: "mocha, bun, node:test, tap",
    failed: line`[ \t]*${COUNT} (?:failing|fail)(?:\s|$)|[#\u2139]\s+fail ${COUNT}$|# failed ${COUNT} |not ok \d+`,
    passed: line`[ \t]*${COUNT} passing \(|[ \t]*${COUNT} pass\n\s*0 fail$|[#\u2139]\s+pass ${COUNT}$(?=[\s\S]{0,400}^[#\u2139]\s+fail 0$)`,
  },
  {
    runner: "deno",
    failed: line`FAILED \| `,
    passed: line`ok \| ${COUNT} passed`,
  },
  {
    runner: "rspec, minitest, ExUnit",
    failed: line`[ \t]*\d+ (?:examples?|runs|tests?|doctests?)\b.*[ ,]${COUNT} (?:failures?|errors?)\b|Failed examples:`,
    passed: line`[ \t]*(?:\d+ doctests?, )?${COUNT} (?:examples?|runs|tests?),(?!.*[ ,][1-9]\d* (?:failures?|errors?))[^\n]*\b0 failures\b`,
  },
  {
    runner: "phpunit, pest",
    failed: line`(?:FAILURES|ERRORS)!$|Tests: \d+,.*\b(?:Failures|Errors): [1-9]|[ \t]*Tests:\s+.*${COUNT} failed`,
    passed: line`OK \(${COUNT} tests?, `,
  },
  {
    runner: "cargo, nextest, rustc",
    failed: line`test result: FAILED|error: (?:test failed|test run failed|could not compile|\d+ target|aborting due to)|error\[E\d+\]|[ \t]*Summary \[.*${COUNT} (?:failed|timed out)`,
    passed: line`test result: ok\.|[ \t]*Summary \[[^\n]*${COUNT} passed|[ \t]*Finished [^\n]*\s*(?![\s\S])`,
  },
  {
    runner: "go",
    failed: line`FAIL(?:\t|$)|--- FAIL: |vet: |# \S+\n\S+\.go:\d+|\S+\.go:\d+:\d+: |panic: `,
    passed: line`ok\s+\S+\s+(?:[\d.]+s|\(cached\))`,
  },
  {
    runner: "golangci-lint",
    failed: line`${COUNT} issues?[:.]`,
    passed: line`0 issues\.$`,
  },
  {
    runner: "gradle",
    failed: line`BUILD FAILED|\d+ tests? completed, ${COUNT} failed|FAILURE: Build failed`,
    passed: line`BUILD SUCCESSFUL`,
  },
  {
    runner: "maven",
    failed: line`\[(?:INFO|ERROR)\] BUILD FAILURE|\[ERROR\] |(?:\[\w+\] )?Tests run: \d+, (?:Failures: [1-9]|Failures: 0, Errors: [1-9])`,
    passed: line`\[INFO\] BUILD SUCCESS$`,
  },
  {
    runner: "bazel",
    failed: line`//\S+\s+(?:FAILED|TIMEOUT|NO STATUS)\b|Executed \d+ out of \d+ tests?:.*\bfails?\b|ERROR: Build did NOT|FAILED: Build did NOT`,
    passed: line`Executed \d+ out of \d+ tests?: ${COUNT} tests? pass(?:es)?\.`,
  },
  {
    runner: "dotnet",
    failed: line`Failed!\s+- |[ \t]*Test Run Failed\.|Build FAILED\.|\S+\(\d+,\d+\): error \w+\d+`,
    passed: line`Passed!\s+- |[ \t]*Test Run Successful\.|Build succeeded\.`,
  },
  {
    runner: "swift, xcodebuild",
    failed: line`[ \t]*Executed \d+ tests?, with ${COUNT} failures?|[\u2718\u2717] Test run with .* failed|\*\* (?:TEST|BUILD) FAILED \*\*|error: (?:fatalError|emit-module|build failed)`,
    passed: line`[ \t]*Executed ${COUNT} tests?, with 0 failures|[\u2714\u2713] Test run with ${COUNT} tests?.* passed|\*\* (?:TEST|BUILD) SUCCEEDED \*\*|Build complete!`,
  },
  {
    runner: "ctest",
    failed: line`\d+% tests passed, ${COUNT} tests? failed|The following tests FAILED:|No tests were found`,
    passed: line`100% tests passed, 0 tests failed out of ${COUNT}`,
  },
  {
    runner: "tox",
    failed: line`[ \t]+\S+: FAIL\b|[ \t]*evaluation failed :\(`,
    passed: line`[ \t]*congratulations :\)`,
  },
  {
    runner: "nox",
    failed: line`nox > (?:Session \S+ failed|Command .* failed|\* \S+: failed)`,
    passed: line`nox > Session \S+ was successful`,
  },
  {
    runner: "just, task, mise, make, ninja",
    failed: line`error: Recipe .* failed|task: Failed to run task|(?:\[\S+\] )?ERROR task failed|mise ERROR |g?make(?:\[\d+\])?: \*\*\* |ninja: build stopped`,
  },
  {
    runner: "npm, pnpm, yarn",
    failed: line`npm (?:ERR!|error) |[ \t]*(?:ELIFECYCLE|ERR_PNPM_\w+)\s|error Command failed with exit code|error: script "[^"\n]*" exited with code [1-9]`,
  },
  {
    runner: "tsc, vue-tsc",
    failed: line`\S[^\n]*(?:\(\d+,\d+\): |:\d+:\d+ - )error TS\d+|error TS\d+|Found ${COUNT} errors?\b`,
  },
  {
    runner: "eslint, standard",
    failed: line`[ \t]*\u2716 \d+ problems? \(${COUNT} errors?|[ \t]*\u2716 ${COUNT} errors?`,
  },
  {
    runner: "biome, ruff, mypy, pyright, phpstan",
    failed: line`[ \t]*(?:\[ERROR\] )?Found ${COUNT} (?:errors?|diagnostics?)\b|${COUNT} errors?, \d+ warnings?|Some errors were emitted|Would reformat: |\d+ files? would be reformatted`,
    passed: line`All checks passed!|Success: no issues found|Checked ${COUNT} files? in [^\n]*\. No fixes (?:applied|needed)\.|0 errors, \d+ warnings|[ \t]*\[OK\] No errors`,
  },
  {
    runner: "prettier, black",
    failed: line`(?:\[warn\] )?Code style issues (?:were )?found|would reformat |error: cannot format `,
    passed: line`All matched files use Prettier code style!|All done! `,
  },
  {
    runner: "rubocop",
    failed: line`\d+ files? inspected, ${COUNT} offenses? detected`,
    passed: line`${COUNT} files? inspected, no offenses detected`,
  },
  {
    runner: "bundlers",
    failed: line`error during build:|Failed to compile\.?$|\u2718 \[ERROR\] |ERROR in `,
  },
];

/** Printed by runners that found no test. Most of them exit with 0. */
const NO_TEST_RAN = line`[ \t]*No tests? (?:files? |cases? )?(?:were )?found|[ \t=]*no tests ran|No tests executed|No test is available|no test files$|\?\s+\S+\s+\[no test files\]|[ \t]*0 (?:passing|pass|examples)\b|Ran 0 tests|[#\u2139]\s+tests 0$|test result: ok\. 0 passed|ok \| 0 passed|[ \t]*Executed 0 tests`;
const SOME_TEST_RAN =
  /\b[1-9]\d* (?:tests? )?(?:passed|passing|pass)\b|^ok\s+\S+\s+[\d(]|^[#\u2139]\s+tests [1-9]|^Ran [1-9]|\b[1-9]\d* examples?\b|Executed [1-9]\d* tests?/m;

/** Whether a runner reports that it ran no test. An exit code of 0 means nothing then. */
export function ranNoTests(output: string): boolean {
  const text = withoutColors(output);
  return (NO_TEST_RAN.test(text) && !SOME_TEST_RAN.test(text)) || ranSkippedTestsOnly(text);
}

/** Summaries of runs in which every test was skipped: vitest and jest, pytest, `node --test`. */
const ALL_SKIPPED = line`[ \t]*Tests:?[ \t]+(?:\d+ (?:skipped|todo)[ \t|,]*)+(?:\(\d+\)|\d+ total)|[ \t=]*(?:\d+ (?:skipped|deselected|warnings?)(?:, )?)+ in [\d.]+|[#\u2139]\s+pass 0$`;
const SOME_PASSED = /\b[1-9]\d* (?:passed|passing|pass)\b|^[#\u2139]\s+pass [1-9]/m;
const UNITTEST = /^Ran (\d+) tests?\b.*\r?\n(?:\r?\n)?OK(?: \(skipped=(\d+)\))?/gm;

function ranSkippedTestsOnly(text: string): boolean {
  if (ALL_SKIPPED.test(text) && !SOME_PASSED.test(text)) return true;
  const runs = [...text.matchAll(UNITTEST)];
  return runs.length > 0 && runs.every(([, ran, skipped]) => ran === skipped);
}

/** Terminal colors. */
const COLORS = /\u001b\[[\d;]*[A-Za-z]/g;

/** The result in a runner's summary; undefined if no summary line is recognized. */
export function runnerResult(output: string): "passed" | "failed" | undefined {
  const text = withoutColors(output);
  if (RUNNERS.some(({ failed }) => failed.test(text))) return "failed";
  return RUNNERS.some(({ passed }) => passed?.test(text)) ? "passed" : undefined;
}

/** Gives all lines one end, and removes colors and the `Output: ` that some agents write before the first line. */
function withoutColors(output: string): string {
  return output
    .replace(COLORS, "")
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .replace(/^Output: /m, "");
}
