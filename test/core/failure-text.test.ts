import { expect, test } from "vitest";
import { failureText, lastLines } from "../../src/core/checks/failure-text.ts";
import type { TamperWarning } from "../../src/core/checks/tamper/warning.ts";
import type { Handoff } from "../../src/core/handoff/handoff.ts";
import { handoffText } from "../../src/core/handoff/text.ts";
import type { Todo } from "../../src/core/model.ts";

const failure = { check: "test", exitCode: 1, lines: "1 failed", warnings: [] };
const todos = (count: number) =>
  Array.from({ length: count }, (_, place) => ({ text: `T${place}` }));

test("names the todos that a failed check does not prove", () => {
  expect(failureText(failure, todos(1))).toBe(
    [
      'The check "test" failed with exit code 1 on the present files, so 1 completed todo is not proven: "T0".',
      'Its last lines: "1 failed"',
      "Fix the cause, or reopen the todos that are not done.",
    ].join("\n"),
  );
  const first = (more: object, count = 1) =>
    `${failureText({ ...failure, ...more }, todos(count))}`.split("\n")[0];
  expect(first({}, 3)).toMatch(/so 3 completed todos are not proven: "T0", "T1", "T2"\.$/);
  expect(first({}, 5)).toMatch(/so 5 completed todos are not proven: "T0", "T1", "T2", 2 more\.$/);
  expect(first({ exitCode: null })).toMatch(/^The check "test" failed on the present files/);
  expect(first({ ended: "no_tests", exitCode: 0 })).toMatch(/^The check "test" ran no tests on/);
  expect(`${failureText({ ...failure, lines: "" }, todos(1))}`).not.toContain("last lines");
});

test("names what weakened the check", () => {
  const warnings: readonly TamperWarning[] = [
    { kind: "test_removed", file: "a.test.ts", line: 1, text: "adds" },
  ];
  const lines = `${failureText({ ...failure, warnings }, todos(1))}`.split("\n");
  expect(lines.slice(3).join("\n")).toContain("a.test.ts");
});

test("the last lines of an output fit into a message", () => {
  const lines = Array.from({ length: 20 }, (_, place) => `line ${place}`);
  expect(lastLines(lines.join("\n\n \n"))).toBe(lines.slice(5).join("\n"));
  expect(lastLines("abc\ndefg\nhi", 7)).toBe("defg\nhi");
  expect(lastLines("abc\ndefg\nhi", 6)).toBe("hi");
  expect(lastLines("abcdef", 3)).toBe("abcdef");
  expect(lastLines("\n \n")).toBe("");
});

test("hands over what is done, open, failing and changed", () => {
  const todo = (id: number, status: Todo["status"], more: Partial<Todo> = {}): Todo => ({
    id: `${id}`,
    text: `Do ${id}`,
    status,
    createdAt: 1,
    movedBy: "agent",
    ...more,
  });
  const handoff = {
    from: { session: "s1", name: "explorer" },
    todos: [],
    files: [],
    decisions: [],
  } as unknown as Handoff;
  const text = (more: object, isAccepted = true) =>
    `${handoffText({ ...handoff, ...more } as Handoff, isAccepted)}`.split("\n");
  expect(text({})).toEqual([
    'You are taking over from explorer (session "s1"). Its todo list is now yours, with the same ids.',
    "Nothing is open.",
    "Ask the user for the next step.",
  ]);
  expect(text({ from: { session: "s1" } }, false)[0]).toBe(
    'You are taking over from another agent (session "s1"). This is its todo list.',
  );
  expect(text({ from: { session: "s1", name: "a:b" } })[0]).toContain('from "a:b" (');
  const files = Array.from({ length: 9 }, (_, place) => `f${place}`);
  expect(
    text({
      todos: [
        todo(1, "completed"),
        todo(2, "pending"),
        todo(3, "in_progress"),
        todo(4, "cancelled"),
      ],
      failing: { command: "npm test", exitCode: 1, output: "bad" },
      files: ["a.ts"],
      decisions: ["Use tabs"],
    }).filter((line) => !line.startsWith("- ") && !line.includes("Do ")),
  ).toEqual([
    'You are taking over from explorer (session "s1"). Its todo list is now yours, with the same ids.',
    "Done: 1. Don't redo them. No passing check was seen for 1: check before you build on that.",
    'Last failing check: "npm test", exit code 1: "bad"',
    'Changed files: "a.ts"',
    'Decision by the user: "Use tabs"',
    "Read the changed files, then continue with 2.",
  ]);
  const line = (start: string, more: object) => text(more).find((each) => each.startsWith(start));
  expect(line("Last failing", { failing: { command: "make" } })).toBe('Last failing check: "make"');
  expect(line("Changed", { files })).toMatch(/"f7" and 1 more$/);
  expect(line("Changed", { files: files.slice(1) })).toMatch(/"f8"$/);
  expect(line("Read", { files })).toBe(
    "Read the changed files, then ask the user for the next step.",
  );
  expect(line("Continue", { todos: [todo(7, "pending")] })).toBe("Continue with 7.");
  const many = (count: number, status: Todo["status"]) =>
    Array.from({ length: count }, (_, place) => todo(place + 1, status));
  expect(line("Done", { todos: many(21, "completed") })).toMatch(/19, 20 and 1 more\. Don't redo/);
  expect(line("Done", { todos: many(20, "completed") })).toMatch(/19, 20\. Don't redo/);
  expect(line("1 more", { todos: many(21, "pending") })).toBe("1 more todos are open.");
  expect(line("0 more", { todos: many(20, "pending") })).toBeUndefined();
});
