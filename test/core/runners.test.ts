import { describe, expect, test } from "vitest";
import { createTracker } from "../../src/index.ts";

/** The output of each runner when it fails and, if it has any, when it passes. */
const RUNNERS: readonly [command: string, failing: string, passing?: string][] = [
  [
    "pnpm vitest run",
    " FAIL  test/a.test.ts > adds\nAssertionError: expected 3 to be 4\n\n Test Files  1 failed | 2 passed (3)\n      Tests  1 failed | 8 passed (9)\n   Duration  1.20s",
    " ✓ test/a.test.ts (9 tests) 12ms\n\n Test Files  3 passed (3)\n      Tests  9 passed (9)\n   Duration  1.20s",
  ],
  [
    "yarn vitest",
    " ❯ test/a.test.ts (2 tests | 1 failed)\n\n Test Files  1 failed (1)\n      Tests  1 failed | 1 passed (2)",
    " Test Files  1 passed (1)\n      Tests  2 passed | 1 skipped (3)",
  ],
  [
    "npx jest --ci",
    "FAIL src/a.test.js\n  ● adds\n\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 2 passed, 3 total\nTime:        0.5 s",
    "PASS src/a.test.js\nTest Suites: 1 passed, 1 total\nTests:       3 passed, 3 total\nSnapshots:   0 total",
  ],
  [
    "bun test",
    "a.test.ts:\n✗ adds [0.5ms]\n\n 2 pass\n 1 fail\n 3 expect() calls\nRan 3 tests across 1 files. [10.00ms]",
    "a.test.ts:\n✓ adds [0.5ms]\n\n 3 pass\n 0 fail\n 3 expect() calls\nRan 3 tests across 1 files. [10.00ms]",
  ],
  [
    "npx mocha",
    "  2 passing (8ms)\n  1 failing\n\n  1) adds:\n     AssertionError",
    "  adds\n    ✔ numbers\n\n  3 passing (8ms)",
  ],
  [
    "node --test",
    "ℹ tests 3\nℹ pass 2\nℹ fail 1\nℹ cancelled 0\n\n✖ failing tests:\n✖ adds",
    "ℹ tests 3\nℹ suites 0\nℹ pass 3\nℹ fail 0\nℹ cancelled 0\nℹ duration_ms 42.1",
  ],
  [
    "deno test",
    "FAILED | 2 passed | 1 failed (12ms)\n\nerror: Test failed",
    "ok | 3 passed | 0 failed (12ms)",
  ],
  [
    "uv run pytest",
    "FAILED tests/test_a.py::test_add - assert 3 == 4\n=================== 1 failed, 4 passed in 0.12s ===================",
    "tests/test_a.py .....                      [100%]\n\n==================== 5 passed in 0.12s ====================",
  ],
  [
    "poetry run pytest -q",
    "FAILED tests/test_a.py::test_add\n1 failed, 4 passed, 1 warning in 0.12s",
    ".....                                        [100%]\n5 passed, 1 xfailed, 1 warning in 0.12s",
  ],
  [
    "python -m pytest",
    "ERROR tests/test_a.py\n!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!\n=================== 1 error in 0.08s ===================",
    "============== 5 passed, 2 skipped in 3.01s ==============",
  ],
  [
    "python -m unittest",
    "FAIL: test_add (test_a.T)\n----------\nRan 3 tests in 0.001s\n\nFAILED (failures=2)",
    "...\n----------------------------------------------------------------------\nRan 3 tests in 0.001s\n\nOK (skipped=1)",
  ],
  [
    "tox",
    "  py312: FAIL code 1 (2.10=setup[1.00]+cmd[1.10] seconds)\n  evaluation failed :( (2.20 seconds)",
    "  py312: OK (2.10=setup[1.00]+cmd[1.10] seconds)\n  congratulations :) (2.20 seconds)",
  ],
  [
    "nox",
    "nox > Command pytest failed with exit code 1\nnox > Session tests failed.",
    "nox > Running session tests\nnox > pytest\nnox > Session tests was successful in 2 seconds.",
  ],
  ["just test", "error: Recipe `test` failed on line 4 with exit code 1"],
  ["task test", 'task: Failed to run task "test": exit status 1'],
  ["mise run test", "[test] $ pytest\n[test] ERROR task failed"],
  [
    "docker compose run --rm -e CI=1 web pytest",
    "=========== 2 failed, 3 passed in 1.20s ===========",
    "=========== 5 passed in 1.20s ===========",
  ],
  [
    "bazel test //...",
    "//pkg:a_test                    FAILED in 0.3s\n\nExecuted 2 out of 2 tests: 1 test passes and 1 fails locally.",
    "//pkg:a_test                    PASSED in 0.3s\n\nExecuted 2 out of 2 tests: 2 tests pass.",
  ],
  [
    "gradle test",
    "> Task :test FAILED\n\n3 tests completed, 1 failed\n\nFAILURE: Build failed with an exception.\n\nBUILD FAILED in 3s",
    "> Task :test\n\nBUILD SUCCESSFUL in 3s\n4 actionable tasks: 4 executed",
  ],
  [
    "./gradlew check",
    "BUILD FAILED in 1s\n2 actionable tasks: 2 executed",
    "BUILD SUCCESSFUL in 1s",
  ],
  [
    "mvn -q verify",
    "[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0\n[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin",
  ],
  [
    "mvn test",
    "[INFO] Tests run: 5, Failures: 0, Errors: 1, Skipped: 0\n[INFO] BUILD FAILURE",
    "[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS\n[INFO] Total time:  2.1 s",
  ],
  [
    "dotnet test",
    "Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3, Duration: 12 ms - a.dll (net8.0)",
    "Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3, Duration: 12 ms - a.dll (net8.0)",
  ],
  [
    "swift test",
    "Executed 5 tests, with 1 failure (0 unexpected) in 0.012 (0.014) seconds",
    "Executed 5 tests, with 0 failures (0 unexpected) in 0.012 (0.014) seconds\n✔ Test run with 3 tests in 1 suite passed after 0.001 seconds.",
  ],
  [
    "mix test",
    "  1) test adds (ATest)\n\nFinished in 0.02 seconds (0.00s async, 0.02s sync)\n3 tests, 1 failure",
    "Finished in 0.02 seconds (0.00s async, 0.02s sync)\n1 doctest, 3 tests, 0 failures",
  ],
  [
    "bundle exec rspec",
    "Finished in 0.1 seconds\n5 examples, 2 failures\n\nFailed examples:\n\nrspec ./spec/a_spec.rb:3",
    "Finished in 0.1 seconds (files took 0.2 seconds to load)\n5 examples, 0 failures, 1 pending",
  ],
  [
    "bin/rails test",
    "10 runs, 20 assertions, 1 failures, 0 errors, 0 skips",
    "10 runs, 20 assertions, 0 failures, 0 errors, 0 skips",
  ],
  [
    "vendor/bin/phpunit",
    "FAILURES!\nTests: 3, Assertions: 4, Failures: 1.",
    "OK (3 tests, 4 assertions)",
  ],
  [
    "ctest --test-dir build",
    "67% tests passed, 1 tests failed out of 3\n\nThe following tests FAILED:\n\t  2 - add (Failed)",
    "100% tests passed, 0 tests failed out of 3\n\nTotal Test time (real) =   0.03 sec",
  ],
  ["make check", "make: *** [Makefile:12: check] Error 2"],
  [
    "cargo test",
    "test adds ... FAILED\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n\nerror: test failed, to rerun pass `--lib`",
    "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
  ],
  [
    "cargo nextest run",
    "     Summary [   0.010s] 5 tests run: 4 passed, 1 failed, 0 skipped\nerror: test run failed",
    "     Summary [   0.010s] 5 tests run: 5 passed, 0 skipped",
  ],
  [
    "go test ./...",
    "--- FAIL: TestAdd (0.00s)\nFAIL\nFAIL\texample.com/a\t0.003s\nFAIL",
    "ok  \texample.com/a\t0.003s\nok  \texample.com/b\t(cached)",
  ],
  [
    "go vet ./...",
    "# example.com/a\n./a.go:7:2: fmt.Printf format %d has arg s of wrong type string",
  ],
  [
    "golangci-lint run",
    "a.go:7:2: Error return value is not checked (errcheck)\n1 issues:\n* errcheck: 1",
    "0 issues.",
  ],
  [
    "ruff check",
    "src/a.py:1:8: F401 [*] `os` imported but unused\nFound 1 error.",
    "All checks passed!",
  ],
  [
    "mypy src",
    'src/a.py:3: error: Incompatible return value type (got "str", expected "int")  [return-value]\nFound 1 error in 1 file (checked 5 source files)',
    "Success: no issues found in 5 source files",
  ],
  [
    "tsc --noEmit",
    "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.",
  ],
  [
    "npx tsc -b --pretty",
    "\u001b[96msrc/a.ts\u001b[0m:\u001b[93m3\u001b[0m:\u001b[93m5\u001b[0m - \u001b[91merror\u001b[0m\u001b[90m TS2322: \u001b[0mType 'string'\n\nFound 1 error in src/a.ts:3",
  ],
  [
    "eslint .",
    "/a/src/a.js\n  1:5  error  'a' is never used  no-unused-vars\n\n✖ 1 problem (1 error, 0 warnings)",
  ],
  [
    "biome check",
    "src/a.ts:1:7 lint/correctness/noUnusedVariables\n\nChecked 12 files in 5ms. No fixes applied.\nFound 1 error.",
    "Checked 12 files in 5ms. No fixes applied.",
  ],
  [
    "npx playwright test",
    "  1 failed\n    [chromium] › a.spec.ts:3:1 › adds ───\n  4 passed (3.2s)",
    "Running 5 tests using 2 workers\n\n  5 passed (3.2s)",
  ],
  ["npm test", "npm error Test failed.  See above for more details."],
  ["pnpm test", " ELIFECYCLE  Test failed. See above for more details."],
  ["yarn test", "error Command failed with exit code 1."],
];

/** Whether a completion is verified by a command with this output alone. */
function verifies(command: string, output: string): boolean {
  const { own } = createTracker();
  own.set([{ text: "Fix it", status: "in_progress" }]);
  own.observe([
    { type: "tool.started", callId: "c", name: "shell", input: { command } },
    { type: "tool.completed", callId: "c", output },
  ]);
  own.submit([{ op: "finish", target: { any: "1" } }]);
  return own.progress().verified === 1;
}

describe("reads the runner's output if the exit code is unknown", () => {
  test.each(RUNNERS)("%s fails", (command, failing) => {
    expect(verifies(command, `${failing}\nexit code: 0\n`)).toBe(false);
    expect(verifies(command, failing)).toBe(false);
    expect(verifies(command, `${failing}\nexit code: 1`)).toBe(false);
  });

  test.each(RUNNERS)("%s passes with exit code 0, and by its summary", (command, _, passing) => {
    expect(verifies(command, "exit code: 0")).toBe(true);
    if (passing === undefined) expect(verifies(command, "")).toBe(false);
    else {
      expect(verifies(command, passing)).toBe(true);
      expect(verifies(command, `${passing}\nexit code: 0`)).toBe(true);
      expect(verifies(command, `${passing}\nexit code: 1`)).toBe(false);
      expect(verifies(`${command} | tail -5`, passing)).toBe(false);
      expect(verifies(`${command} || true`, passing)).toBe(false);
    }
  });
});
