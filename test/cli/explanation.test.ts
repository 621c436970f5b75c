import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { A, eachOnItsOwn, home, json, machine, run } from "./user-machine.ts";

eachOnItsOwn();

const WHY = "The schema must change first.";
const S = ["--session", "s"];

function plan(statuses: readonly string[], explanation?: string) {
  const steps = statuses.map((status, place) => ({ step: `Step ${place + 1}`, status }));
  return { plan: steps, ...(explanation !== undefined && { explanation }) };
}

const write = (...given: Parameters<typeof plan>) =>
  machine.tool("update_plan", plan(...given), ...S);

/** A Codex session file with one plan. */
function codexSession(): string {
  const at = (second: number) => new Date(Date.now() - 60_000 + second * 1_000).toISOString();
  const lines = [
    {
      timestamp: at(0),
      type: "session_meta",
      payload: { id: A, cwd: "/srv/shop", cli_version: "0.144.5" },
    },
    {
      timestamp: at(1),
      type: "response_item",
      payload: {
        type: "function_call",
        name: "update_plan",
        arguments: JSON.stringify(plan(["in_progress", "pending"], WHY)),
        call_id: "c1",
      },
    },
    {
      timestamp: at(2),
      type: "response_item",
      payload: { type: "function_call_output", call_id: "c1", output: "Plan updated" },
    },
  ];
  return `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
}

describe("the explanation of a plan", () => {
  test("shows in todos, show and history, and in their JSON", () => {
    write(["in_progress", "pending"], WHY);
    for (const args of [
      ["todos", ...S],
      ["show", "s"],
      ["history", ...S],
    ])
      expect(run(...args).stdout).toContain(WHY);
    for (const style of ["boxed", "tree", "plan", "checkbox"])
      expect(run("todos", ...S, "--style", style).stdout).toContain(WHY);
    expect(json("todos", ...S)).toMatchObject({ explanation: WHY });
    expect(json("show", "s")).toMatchObject({
      explanation: WHY,
      remarks: [{ what: "explanation", text: WHY, by: "agent" }],
    });
    expect(json("history", ...S)).toContainEqual(
      expect.objectContaining({ what: "explanation", text: WHY }),
    );
  });

  test("stays while only statuses change, and is removed with the steps", () => {
    write(["in_progress", "pending"], WHY);
    write(["completed", "in_progress"]);
    expect(json("todos", ...S)).toMatchObject({ explanation: WHY });
    write(["completed", "in_progress", "pending"], "One more.");
    expect(json("todos", ...S)).toMatchObject({ explanation: "One more." });
    write(["completed", "in_progress", "pending", "pending"]);
    expect(json("todos", ...S)).not.toHaveProperty("explanation");
    expect(run("history", ...S).stdout).toContain("explanation: One more.");
  });

  test("is read from the session file and the stream of Codex", () => {
    const path = join(
      home.path,
      `.codex/sessions/2026/11/17/rollout-2026-11-17T10-00-00-${A}.jsonl`,
    );
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, codexSession());
    for (const args of [
      ["todos", "--session", A],
      ["show", A],
      ["history", "--session", A],
    ])
      expect(run(...args).stdout).toContain(WHY);
    expect(json("show", A)).toMatchObject({ explanation: WHY });
    const piped = machine.run(["pipe", "--from", "codex"], { input: codexSession() });
    expect(piped.stdout).toContain(WHY);
  });

  test("is escaped on a terminal", () => {
    write(["in_progress"], "One\ttwo");
    expect(run("todos", ...S).stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});
