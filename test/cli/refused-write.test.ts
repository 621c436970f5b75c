import { describe, expect, test } from "vitest";
import { until } from "../until.ts";
import { claudeSession } from "./claude-session.ts";
import { PROGRAM } from "./machine.ts";
import { start } from "./running.ts";
import {
  A,
  as,
  eachOnItsOwn,
  home,
  json,
  machine,
  run,
  SECOND,
  writeSession,
} from "./user-machine.ts";

eachOnItsOwn();

const S = ["--session", "s"];
const GOOD = { todos: [{ content: "Read", status: "in_progress", activeForm: "Reading" }] };
const BAD = { todos: [{ content: "", status: "pending", activeForm: "" }] };
const tool = (input: unknown) => machine.tool("TodoWrite", input, ...S);
const ops = (...list: object[]) => machine.tool("todo_write", { ops: list }, ...S);

const commands = () =>
  [
    ["todos", ...S],
    ["show", "s"],
    ["history", ...S],
  ].map((args) => run(...args).stdout);

interface Warned {
  readonly refused?: { readonly at: string; readonly why: string; readonly partial?: true };
  readonly remarks?: readonly { readonly what: string; readonly text: string }[];
}

describe("a refused list write", () => {
  test("shows in todos, show and history until the next accepted write", () => {
    tool(GOOD);
    expect(tool(BAD).status).toBe(1);
    for (const text of commands()) expect(text).toMatch(/refused.*todos\[0\]\.content/i);
    const at = expect.stringMatching(/^\d{4}-.*Z$/);
    const why = expect.stringContaining("todos[0].content");
    expect(json("todos", ...S)).toMatchObject({ refused: { at, why }, todos: [{ text: "Read" }] });
    expect(json("show", "s")).toMatchObject({
      refused: { at, why },
      remarks: [{ what: "list refused", text: why, by: "agent" }],
    });
    expect(JSON.parse(run("ls", "--json").stdout)).toMatchObject([{ refused: { at, why } }]);
    const history = JSON.parse(run("history", ...S, "--json").stdout);
    expect(history).toContainEqual(expect.objectContaining({ what: "list refused", text: why }));

    tool(GOOD);
    expect(json("todos", ...S)).not.toHaveProperty("refused");
    expect(run("todos", ...S).stdout).not.toContain("refused");
    expect(run("history", ...S).stdout).toContain("list refused");
  });

  test("shows what a partly applied batch refused", () => {
    ops({ op: "init", list: [{ phase: "P", items: ["One", "Two"] }] });
    ops({ op: "done", task: "One" }, { op: "done", task: "Nope" });
    const form = json("show", "s") as Warned;
    expect(form.refused).toMatchObject({ partial: true, why: expect.stringContaining("Nope") });
    for (const text of commands())
      expect(text).toMatch(/partly? refused.*Nope|refused +part of.*Nope/);
    ops({ op: "done", task: "Two" });
    expect(json("show", "s")).not.toHaveProperty("refused");
  });

  test("of an agent's own tool shows in show, todos and history", () => {
    const at = Date.now() - 60 * SECOND;
    const session = claudeSession(A, "/srv/shop")
      .prompt("Go", at)
      .todos([["Read", "in_progress"]], at + SECOND)
      .refused("InputValidationError: todos must be an array", at + 2 * SECOND);
    writeSession(A, session.text());
    for (const args of [
      ["todos", "--session", A],
      ["show", A],
      ["history", "--session", A],
    ])
      expect(run(...args).stdout).toMatch(/refused.*todos must be an array/);
    const why = expect.stringContaining("todos must be an array");
    expect(json("show", A)).toMatchObject({ refused: { why }, remarks: [{ text: why }] });
    session.todos([["Read", "completed"]], at + 3 * SECOND);
    writeSession(A, session.text());
    expect(json("show", A)).not.toHaveProperty("refused");
    expect(run("history", "--session", A).stdout).toContain("list refused");
  });

  test("is printed by watch and watch --json", async () => {
    tool(GOOD);
    const env = { ...as(home), WAYMARK_HOME: machine.home };
    const lines = start(process.execPath, [PROGRAM, "watch"], env);
    const events = start(process.execPath, [PROGRAM, "watch", "--json"], env);
    let isSaid = false;
    let isTold = false;
    void lines.untilPrinted("list refused: ").then(() => {
      isSaid = true;
    });
    void events.untilPrinted('"code":"list_rejected"').then(() => {
      isTold = true;
    });
    await until(
      () => {
        if (isSaid && isTold) return true;
        tool(BAD);
        return false;
      },
      "a refusal that is printed",
      { interval: 500 },
    );
    for (const each of [lines, events]) {
      each.child.kill("SIGINT");
      await each.finished;
    }
  });
});
