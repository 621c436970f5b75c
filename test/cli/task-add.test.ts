import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Task } from "../../src/tasks/model.ts";
import { type Machine, newMachine } from "./machine.ts";

let machine: Machine;
beforeEach(() => {
  machine = newMachine();
});
afterEach(() => machine.remove());

const run = (...args: string[]) => machine.run(["task", ...args]);
const tasks = (...args: string[]) => machine.json(["task", ...args]) as Task[];
const add = (input: string) => machine.run(["task", "add", "-"], { input });

describe("task add - with a checklist", () => {
  const CHECKLIST = [
    "# Release",
    "",
    "Everything for the release.",
    '- [ ] Publish <!-- {"ref":"publish","blockedBy":["build","notes"],"priority":"high"} -->',
    '- [ ] Build <!-- {"ref":"build"} -->',
    "  > Both targets",
    '- [x] Write the notes <!-- {"ref":"notes"} -->',
  ].join("\n");

  test("adds tasks that block each other in one call", () => {
    expect(add(CHECKLIST)).toEqual({
      status: 0,
      stdout: "Added 3 tasks: t1, t2, t3\n",
      stderr: "Ignored 1 line that is not part of a checklist.\n",
    });
    expect(tasks("list", "--all")).toMatchObject([
      {
        subject: "Publish",
        blockedBy: ["t2", "t3"],
        priority: 1,
        labels: ["Release"],
        status: "open",
      },
      { subject: "Build", description: "Both targets", blockedBy: [], status: "open" },
      { subject: "Write the notes", status: "done" },
    ]);
    // The names belong to the call: the same checklist again adds new tasks.
    expect(add(CHECKLIST).stdout).toBe("Added 3 tasks: t4, t5, t6\n");
    expect(tasks("list", "--all").at(3)).toMatchObject({ blockedBy: ["t5", "t6"] });
  });

  test.each([
    ["- [ ] Fine\n- [q] Odd", "Line 2 cannot be read: unknown marker [q]"],
    ['- [ ] Fine\n- [ ] Go <!-- {"blockedBy":["zzz"]} -->', 'No task has the id "zzz".'],
    [
      '- [ ] A <!-- {"ref":"a"} -->\n\n- [ ] B <!-- {"ref":"a"} -->',
      "Line 3: id a is used twice. Nothing was changed.",
    ],
    [
      '- [ ] A <!-- {"ref":"a","blockedBy":["b"]} -->\n- [ ] B <!-- {"ref":"b","blockedBy":["a"]} -->',
      'This would create a dependency cycle: "a" -> "b" -> "a".',
    ],
    ["just words", "Line 1 is not JSON"],
  ])("adds nothing of %j", (input, expected) => {
    const { status, stderr } = add(input);
    expect(status).toBe(1);
    expect(stderr).toContain(expected);
    expect(tasks("list", "--all")).toEqual([]);
  });
});

test("the list has the same tasks as text and as JSON, with every filter", () => {
  const lines = ["a", "b", "c", "d"].map((name) =>
    JSON.stringify({
      subject: `Task ${name}`,
      id: name,
      labels: name < "c" ? ["x"] : ["y"],
      ...(name > "a" && { parent: "a" }),
    }),
  );
  expect(add(lines.join("\n")).status).toBe(0);
  run("claim", "t3", "--as", "ann");
  run("cancel", "t2");
  const shown = (...args: string[]) =>
    [...run("list", ...args).stdout.matchAll(/^.*?\b(t\d+)\b/gm)].map(([, id]) => id);
  const ids = (...args: string[]) => tasks("list", ...args).map(({ id }) => id);
  for (const [args, expected] of [
    [[], ["t3", "t1", "t4"]],
    [["--all"], ["t1", "t2", "t3", "t4"]],
    [["--status", "cancelled"], ["t2"]],
    [["--owner", "ann"], ["t3"]],
    [["--label", "x"], ["t1"]],
    [
      ["--label", "x", "--all"],
      ["t1", "t2"],
    ],
    [
      ["--parent", "t1"],
      ["t3", "t4"],
    ],
    [["--limit", "1"], ["t3"]],
  ] as const) {
    expect(ids(...args), args.join(" ")).toEqual(expected);
    expect(shown(...args), args.join(" ")).toEqual(expected);
  }
});
