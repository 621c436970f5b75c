import { expect, onTestFinished, test } from "vitest";
import { newMachine } from "./machine.ts";

test("prints a prompt, offers the list, and continues it in another session with the same ids", () => {
  const machine = newMachine();
  onTestFinished(() => machine.remove());
  const hook = (agent: string, event: string, more: object) =>
    machine.run(["hook", agent, event], {
      input: JSON.stringify({ cwd: machine.cwd, ...more }),
    }).stdout;
  hook("claude", "SessionStart", { session_id: "old", source: "startup" });
  machine.tool("todos", { add: ["Write the fix", "Test it"], start: "1" }, "--session", "old");
  machine.tool("todos", { finish: ["1"], start: "2" }, "--session", "old");
  machine.tool("todos", { note: "Mind the \u001b[2J file" }, "--session", "old");

  const prompt = machine.run(["handoff", "old"]);
  expect([prompt.status, prompt.stderr]).toEqual([0, ""]);
  expect(prompt.stdout).toContain('You are taking over from Claude Code (session "old").');
  expect(prompt.stdout).toContain("Done: 1. Don't redo them.");
  expect(prompt.stdout).toContain('2 [>] "Test it"');
  expect(prompt.stdout).not.toContain("\u001b");
  expect(machine.json(["handoff", "old"])).toMatchObject({
    from: { session: "old", agentType: "claude-code" },
    todos: [
      { id: "1", status: "completed" },
      { id: "2", status: "in_progress" },
    ],
  });
  expect(machine.run(["handoff", "old", "--to", "nobody"]).status).toBe(2);
  expect(machine.run(["handoff", "none"]).status).toBe(1);
  expect(machine.run(["handoff", "--accept", "--session", "new"]).stderr).toContain(
    "No list is offered",
  );

  const offered = machine.run(["handoff", "old", "--to", "codex"]).stdout;
  expect(offered).toContain("from Claude Code to Codex");
  expect(offered).toContain(`cd ${machine.cwd} && codex`);
  expect(hook("claude", "SessionStart", { session_id: "third", source: "startup" })).not.toContain(
    "taking over",
  );
  const answer = hook("codex", "SessionStart", { session_id: "new", source: "startup" });
  expect(answer).toContain("Its todo list is now yours, with the same ids.");
  const todos = (session: string) =>
    (machine.json(["todos", "--session", session]) as { todos: { id: string; status: string }[] })
      .todos;
  expect(todos("new").map(({ id, status }) => [id, status])).toEqual(
    todos("old").map(({ id, status }) => [id, status]),
  );
  expect(machine.run(["history", "--session", "new"]).stdout).toContain("from session old");
  expect(machine.run(["history", "--session", "old"]).stdout).toContain("to session new");

  machine.run(["handoff", "old", "--to", "gemini"]);
  expect(machine.run(["handoff", "--accept", "--session", "new"]).stderr).toContain(
    "todos of its own",
  );
  const accepted = machine.run(["handoff", "--accept", "--session", "by-hand"]);
  expect(accepted.stdout).toContain("You are taking over");
  expect(todos("by-hand")).toHaveLength(2);
});
