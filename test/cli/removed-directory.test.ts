import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NOT_ON_WINDOWS, needs } from "../skipped.ts";
import { type Machine, newMachine } from "./machine.ts";

let machine: Machine;
beforeAll(() => {
  machine = newMachine();
  machine.run(["todo", "add", "Begun", "--session", "g"]);
});
afterAll(() => machine.remove());

/** Runs the command in a directory that was removed after the shell entered it. */
function inGone(command: string) {
  return machine.bash(`mkdir gone && cd gone && rmdir ../gone && ${command}`);
}

// Windows does not remove a directory that is in use.
describe("in a removed directory", needs(NOT_ON_WINDOWS), () => {
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
  ])("works with a named list: %s", (command) => {
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
  ])("fails without a named list: %s", (command) => {
    expect(inGone(command)).toEqual({
      status: 1,
      stdout: "",
      stderr:
        "waymark: The current directory was removed. Change to an existing one, or name the list with --session.\n",
    });
  });

  test("waymark ls --cwd", () => {
    expect(inGone("waymark ls --cwd")).toEqual({
      status: 1,
      stdout: "",
      stderr: "waymark: The current directory was removed. Change to an existing one.\n",
    });
  });
});
