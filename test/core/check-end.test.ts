import { describe, expect, test } from "vitest";
import { checkEndOf } from "../../src/core/activity/evidence/result.ts";

const resultOf = (output: string) => checkEndOf({ failed: false, output }).result;

describe("recognizes a failing result", () => {
  test.each([
    "Tests 3 failed\nexit code: 1",
    "exit code: 1",
    "boom\nExit code 1",
    "boom\n[exit 1]\n",
    "boom\n[exit: 1]",
    "boom\nProcess exited with code 2",
    "boom\n\n\n[Process exited with code 1]",
    "boom\n<shellId: 0 completed with exit code 1>",
    "boom\nCommand failed with exit code: 127.",
    "boom\nCommand exited with code 1",
    "boom\n(exit status 1)",
    "boom\nexit_code=1",
    "boom\nreturncode: 1",
    "<returncode>1</returncode>\n<output>\nboom\n</output>",
    "<output>boom</output>\n<exit_code>1</exit_code>",
    "Exit code 1\n1 failed",
    "Error: Exit code 2\nboom",
    "Exit code: 2\nWall time: 0 seconds\nOutput:\nno\n",
    "Chunk ID: aa\nWall time: 0.0 seconds\nProcess exited with code 1\nOriginal token count: 3\nOutput:\nall good\nexit code: 0",
    "Command: make check\nDirectory: (root)\nOutput: no\nError: (none)\nExit Code: 2\nSignal: 0",
    "<untrusted_context>\nOutput: no\nExit Code: 2\nProcess Group PGID: 77\n</untrusted_context>",
    '{"exitCode":1}',
    '{"exit_code":1,"output":"ok"}',
    '{"code":1}',
    '{"status":1,"stdout":"","stderr":"boom"}',
    '{"exitCode":"1"}',
    '{"output":"boom","metadata":{"exit":1}}',
    '{"output":"boom","metadata":{"exitCode":1}}',
    '{"output":"boom","metadata":{"exit_code":1}}',
    '{"success":false}',
    '{"isError":true,"content":[{"type":"text","text":"no"}]}',
    '[{"query":"npm test","result":"Tests 1 failed","success":true}]',
    '{"stdout":"Tests  1 failed | 3 passed (4)\\n","stderr":""}',
    '{"stdout":"boom\\nexit code: 1"}',
  ])("%j", (output) => {
    expect(resultOf(output)).toBe("failed");
  });
});

describe("recognizes a passing result", () => {
  test.each([
    "fine\nexit code: 0",
    "exit code: 0\n",
    "fine\n[exit 0]",
    "fine\nProcess exited with code 0",
    "fine\n\n\n[Process exited with code 0]",
    "fine\n<shellId: 0 completed with exit code 0>",
    "fine\nexit code: 0\nDuration: 1.2s",
    "Exit code: 0\nWall time: 1 seconds\nOutput:\nfine",
    "Chunk ID: aa\nWall time: 0.0 seconds\nProcess exited with code 0\nOriginal token count: 2\nOutput:\nfine",
    "<returncode>0</returncode>\n<output>\nfine\n</output>",
    "Command: make\nDirectory: (root)\nOutput: fine\nError: (none)\nExit Code: 0\nSignal: (none)\nProcess Group PGID: (none)",
    '{"exitCode":0,"stdout":"fine"}',
    '{"code":0}',
    '{"status":0,"stdout":"","stderr":"","signal":null}',
    '{"output":"fine","metadata":{"exit":0}}',
    '{"stdout":"fine\\nexit code: 0"}',
    "✖ 3 problems (0 errors, 3 warnings)\nexit code: 0",
    "exit code: 1 is what the first attempt gave\n\nexit code: 0",
  ])("%j", (output) => {
    expect(resultOf(output)).toBe("passed");
  });
});

describe("reports an unknown result", () => {
  test.each([
    "",
    "ok",
    "done",
    "{}",
    "[]",
    "{not json",
    '{"ok":true}',
    '{"success":true}',
    '{"exitCode":null}',
    '{"exitCode":0,"timedOut":true}',
    '{"code":0,"signal":"SIGTERM"}',
    '{"exitCode":0,"interrupted":true}',
    "fine\nexit code: 0\nand then more output",
    "Exit code: 0\nfine, said the log",
    "Command timed out after 2m 0.0s\n Tests  5 passed (5)",
    " Tests  5 passed (5)\nCommand timed out after 120000 ms",
    " Tests  5 passed (5)\n[timed out after 120s]",
    "5 passed in 1.2s\nCommand was automatically cancelled because it exceeded the timeout",
    "Command running in background with ID: 3",
    "it prints: all tests passed",
    "   ✓ says 3 failed when three fail",
    "Tests 3 failed\nexit code: 0",
  ])("%j", (output) => {
    expect(resultOf(output)).toBe("unknown");
  });

  test("is unknown if the host says so, even with a passing summary", () => {
    const output = " Tests  5 passed (5)";
    expect(checkEndOf({ failed: false, output }).result).toBe("passed");
    expect(checkEndOf({ failed: false, output, unsure: true }).result).toBe("unknown");
  });
});

test("prefers the host's flag and exit code to the text", () => {
  expect(checkEndOf({ failed: true, output: "exit code: 0" })).toEqual({ result: "failed" });
  expect(checkEndOf({ failed: false, exitCode: 1, output: "5 passed in 1s" })).toEqual({
    result: "failed",
    exitCode: 1,
  });
  expect(checkEndOf({ failed: false, exitCode: 0, output: "ok" })).toEqual({
    result: "passed",
    exitCode: 0,
  });
});

describe("an exit code of 0 proves nothing if every test was skipped", () => {
  test.each([
    " Test Files  1 skipped (1)\n      Tests  3 skipped (3)",
    "      Tests  2 skipped | 1 todo (3)",
    "Tests:       3 skipped, 3 total",
    "===== 3 skipped in 0.01s =====",
    "3 skipped, 2 warnings in 0.01s",
    "4 deselected in 0.01s",
    "# tests 3\n# pass 0\n# fail 0\n# skipped 3",
    "Ran 3 tests in 0.001s\n\nOK (skipped=3)",
  ])("%j", (output) => {
    expect(checkEndOf({ failed: false, exitCode: 0, output }).result).toBe("unknown");
  });

  test.each([
    "      Tests  2 passed | 1 skipped (3)",
    "Tests:       1 skipped, 2 passed, 3 total",
    "===== 2 passed, 1 skipped in 0.01s =====",
    "# pass 0\n# skipped 3\n# pass 2\n# fail 0",
    "Ran 3 tests in 0.001s\n\nOK (skipped=2)",
    "Ran 3 tests in 0.001s\n\nOK (skipped=3)\nRan 1 test in 0.001s\n\nOK",
  ])("but not if some ran: %j", (output) => {
    expect(checkEndOf({ failed: false, exitCode: 0, output }).result).toBe("passed");
  });
});

test("parses long and hostile output in bounded time", () => {
  const outputs = [
    "a".repeat(1e6),
    "\n".repeat(1e6),
    "1 ".repeat(5e5),
    "[".repeat(1e5),
    "{".repeat(1e5),
  ];
  const begin = performance.now();
  for (const output of outputs) expect(resultOf(output)).toBe("unknown");
  expect(performance.now() - begin).toBeLessThan(5_000);
});
