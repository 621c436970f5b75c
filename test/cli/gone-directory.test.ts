import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NOT_ON_WINDOWS, needs } from "../skipped.ts";
import { type Machine, newMachine } from "./machine.ts";

let machine: Machine;
beforeAll(() => {
  machine = newMachine();
  machine.run(["todo", "add", "Begun", "--session", "g"]);
});
afterAll(() => machine.remove());

/** Runs it where an agent has removed the directory under its feet. */
function inGone(command: string) {
  return machine.bash(`mkdir gone && cd gone && rmdir ../gone && ${command}`);
}

// Windows keeps a directory as long as somebody is in it.
describe("in a directory that is gone", needs(NOT_ON_WINDOWS), () => {
  test.each([
    "waymark todo add x --session g",
    "waymark todo start 1 --session g",
    `echo '{"add":["y"]}' | waymark tool todos --session g`,
    "waymark todos --session g",
    "waymark history --session g",
    "waymark show g",
    "waymark ls",
    "waymark completion --words agents",
    "waymark completion --words todos",
    "waymark mcp --session g < /dev/null",
    "waymark mcp < /dev/null",
  ])("what is named is done: %s", (command) => {
    const { status, stderr } = inGone(command);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test.each([
    "waymark todo add x",
    "waymark todo start 1",
    "waymark todos",
    "waymark history",
    "waymark show",
    `echo '{"add":["y"]}' | waymark tool todos`,
  ])("what is looked for in it is not there: %s", (command) => {
    expect(inGone(command)).toEqual({
      status: 1,
      stdout: "",
      stderr:
        "waymark: The current directory is gone. Change to one that is there, or name the list with --session.\n",
    });
  });

  test("waymark ls --cwd", () => {
    expect(inGone("waymark ls --cwd")).toEqual({
      status: 1,
      stdout: "",
      stderr: "waymark: The current directory is gone. Change to one that is there.\n",
    });
  });
});
