import { describe, expect, test } from "vitest";
import {
  exitCodeOf,
  exitOfText,
  exitOfValue,
  headerCode,
} from "../../src/core/activity/evidence/exit-code.ts";

const interrupted = { interrupted: true };

describe("a structured result", () => {
  test.each([
    "exitCode",
    "exit_code",
    "exitcode",
    "returncode",
    "return_code",
    "returnCode",
    "exit_status",
    "exitStatus",
    "exit",
  ])("has its exit code in %s, also below metadata", (field) => {
    expect(exitCodeOf({ [field]: 3 })).toBe(3);
    expect(exitCodeOf({ [field]: "-3" })).toBe(-3);
    expect(exitCodeOf({ metadata: { [field]: 0 } })).toBe(0);
    expect(exitOfValue({ [field]: 0 })).toEqual({ code: 0 });
  });

  test("has no exit code in ambiguous fields, unless the result of a program is expected", () => {
    for (const field of ["code", "status"]) {
      expect(exitCodeOf({ [field]: 3 })).toBeUndefined();
      expect(exitOfValue({ [field]: 3 })).toEqual({ code: 3 });
    }
    expect(exitOfValue({ exitCode: 1, code: 0 })).toEqual({ code: 1 });
    for (const value of [1.5, "1x", "", "12345678901", true, null, [1]])
      expect([value, exitCodeOf({ exitCode: value })]).toEqual([value, undefined]);
    for (const value of [undefined, null, 1, "exitCode: 1", []])
      expect([value, exitOfValue(value)]).toEqual([value, undefined]);
  });

  test.each(["timedOut", "timed_out", "timeout", "interrupted", "aborted", "killed", "canceled"])(
    "was stopped if %s is true, whatever its code",
    (field) => {
      expect(exitOfValue({ [field]: true, exitCode: 0 })).toEqual(interrupted);
      expect(exitOfValue({ [field]: 5_000, exitCode: 0 })).toEqual({ code: 0 });
      expect(exitOfValue({ signal: "SIGTERM", exitCode: 0 })).toEqual(interrupted);
      expect(exitOfValue({ signal: null, exitCode: 0 })).toEqual({ code: 0 });
    },
  );

  test.each([
    [{ isError: true }, { code: 1 }],
    [{ isError: false }, undefined],
    [{ is_error: true }, { code: 1 }],
    [{ success: false }, { code: 1 }],
    [{ success: true }, undefined],
    [{ ok: false }, { code: 1 }],
    [{ status: "error" }, { code: 1 }],
    [{ status: "failed" }, { code: 1 }],
    [{ status: "completed" }, undefined],
    [{ error: "bad" }, { code: 1 }],
    [{ error: " " }, undefined],
    [{ error: {} }, { code: 1 }],
    [{ error: null }, undefined],
    [{ isError: true, exitCode: 0 }, { code: 0 }],
  ])("%j", (value, exit) => {
    expect(exitOfValue(value)).toEqual(exit);
  });

  test.each(["metadata", "result", "data", "details", "outcome", "structuredContent", "output"])(
    "is found in %s, three levels deep",
    (field) => {
      const nested = (depth: number): unknown =>
        depth === 0 ? { exitCode: 2 } : { [field]: nested(depth - 1) };
      expect([1, 3, 4].map((depth) => exitOfValue(nested(depth)))).toEqual([
        { code: 2 },
        { code: 2 },
        undefined,
      ]);
    },
  );

  test("of several parts is the worst", () => {
    const of = (...parts: readonly unknown[]) => exitOfValue(parts);
    const [good, bad, stopped] = [{ exitCode: 0 }, { exitCode: 4 }, { killed: true }];
    expect(of({}, good)).toEqual({ code: 0 });
    expect(of(good, bad)).toEqual({ code: 4 });
    expect(of(bad, good, stopped)).toEqual(interrupted);
    expect(of({})).toBeUndefined();
    expect(exitOfValue({ result: good, output: bad })).toEqual({ code: 4 });
    const many = Array<object>(50).fill(good);
    expect([of(...many, bad), of(...many.slice(1), bad)]).toEqual([{ code: 0 }, { code: 4 }]);
  });
});

describe("the text of a result", () => {
  test("has its exit code in the header", () => {
    expect(headerCode("Exit code: 2\nOutput:\nx")).toBe(2);
    expect(
      headerCode(
        "Chunk ID: 1\nWall time: 2 s\nProcess exited with code 0\nTotal output lines: 3\nOutput:\n",
      ),
    ).toBe(0);
    expect(headerCode("<exit_code> 3 </exit_code>\nx")).toBe(3);
    expect(headerCode("x\nExit code: 2\nOutput:\n")).toBeUndefined();
    expect(exitOfText("Exit code: 0\nOutput:\nExit code: 1")).toEqual({ code: 0 });
  });

  test.each([
    ["Exit code 2\nx", { code: 2 }],
    ["Error: Exit code 2", { code: 2 }],
    ["Exit code 0\nx", undefined],
    ["x\n[exit code: 1]", { code: 1 }],
    ["x\nCommand failed with exit code 3.", { code: 3 }],
    ["x\nThe command exited with code 0", { code: 0 }],
    ["x\n[exit 7]", { code: 7 }],
    ["x\n<returncode>5</returncode>", { code: 5 }],
    ["exit code: 0\nthen more output", undefined],
    ["x\nexit code: 1\n\nDuration: 2 s\nSignal: none\n```\n", { code: 1 }],
    ["Command timed out after 5 s\nexit code: 0", interrupted],
    ["x\nThe command was aborted\na\nb\nc", interrupted],
    ["x\nThe command was aborted\na\nb\nc\nd", undefined],
    ["x", undefined],
    ["", undefined],
  ])("%j", (text, exit) => {
    expect(exitOfText(text)).toEqual(exit);
  });

  test("is read at its beginning and its end only", () => {
    const long = "line\n".repeat(1_000);
    expect(exitOfText(`${long}exit code: 1\n${long}`)).toBeUndefined();
    expect(exitOfText(`${long}exit code: 1`)).toEqual({ code: 1 });
    expect(exitOfText(`Exit code 4\n${long}`)).toEqual({ code: 4 });
  });
});
