import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Task } from "../../src/tasks/model.ts";
import { type Machine, newMachine } from "./machine.ts";

let machine: Machine;
beforeEach(() => {
  machine = newMachine();
});
afterEach(() => machine.remove());

function write(name: string, content: string): void {
  const path = join(machine.cwd, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, content);
}

const bring = (...args: string[]) => machine.json(["task", "import", ...args]);
const tasks = () => machine.json(["task", "list"]) as Task[];
const ties = () => tasks().map(({ subject, blockedBy }) => [subject, blockedBy]);

describe("what came in before", () => {
  test("is told apart by the list that a task of Claude Code is in", () => {
    write("lists/list1/1.json", '{"id":"1","subject":"A"}');
    write("lists/list1/2.json", '{"id":"2","subject":"B","blockedBy":["1"]}');
    write("lists/list2/1.json", '{"id":"1","subject":"C"}');
    write("lists/list2/2.json", '{"id":"2","subject":"D","blockedBy":["1"]}');
    const all = ["lists", "--from", "claude"];
    expect(bring(...all)).toEqual({ read: 4, added: 4, known: 0, skipped: [] });
    expect(ties()).toEqual([
      ["A", []],
      ["B", ["t1"]],
      ["C", []],
      ["D", ["t3"]],
    ]);
    for (const again of [all, ["lists/list2"], ["lists/list2/1.json", "--from", "claude"]])
      expect(bring(...again)).toMatchObject({ added: 0 });
  });

  test.each([
    ["jsonl", '{"id":"t1","subject":"AAA"}', '{"id":"t1","subject":"BBB"}'],
    ["task-master", '{"tasks":[{"id":1,"title":"AAA"}]}', '{"tasks":[{"id":1,"title":"BBB"}]}'],
    ["markdown", '- [ ] AAA <!-- {"ref":"t1"} -->', '- [ ] BBB <!-- {"ref":"t1"} -->'],
  ])("is told apart by the whole text of a standard input: %s", (kind, first, second) => {
    const pipe = (input: string) =>
      machine.run(["task", "import", "-", "--from", kind, "--json"], { input });
    const added = [first, second, first, second].map(
      (input) => JSON.parse(pipe(input).stdout).added,
    );
    expect(added).toEqual([1, 1, 0, 0]);
    expect(tasks().map(({ subject }) => subject)).toEqual(["AAA", "BBB"]);
  });
});
