import { describe, expect, it } from "vitest";
import { emptyActivity } from "../../src/core/activity/activity.ts";
import { readSituations, situationOf } from "../../src/core/guidance/situation.ts";
import type { StreamBody } from "../../src/core/stream/events.ts";
import { noteActivity } from "./events.ts";

const ID = { session: "s", agent: "main" };

/** The situation after these calls: `…` leaves one open, `!` lets it fail. */
function afterCalls(...commands: readonly string[]) {
  const activity = emptyActivity();
  let at = 1_000;
  const note = (body: StreamBody) => {
    at += 1_000;
    noteActivity(activity, { ...ID, seq: at, timestamp: at, ...body } as never);
  };
  note({ type: "turn.started", prompt: "Commit it" });
  commands.forEach((command, place) => {
    const call = { name: command.startsWith("todos") ? "todos" : "Bash", callId: `c${place}` };
    const line = command.replace(/[…!]$/, "");
    note({ type: "tool.started", ...call, input: { command: line } });
    if (command.endsWith("…")) return;
    const exitCode = command.endsWith("!") ? 1 : 0;
    note({ type: exitCode ? "tool.failed" : "tool.completed", ...call, exitCode });
  });
  return { situation: situationOf(activity), activity, note };
}

describe("Claude Code, the operation that an agent is in", () => {
  it.each([
    [["npm test"], undefined],
    [["git status"], undefined],
    [["git commit -m x…"], "git commit"],
    [["cd src && git commit -am 'fix: x'…"], "git commit"],
    [["git -C /repo commit -m x…"], "git commit"],
    [["git commit -m x!"], "git commit"],
    [["git commit -m x"], undefined],
    [["git add -A"], "git commit"],
    [["git add -A", "git diff --staged", "git log -3"], "git commit"],
    [["git add -A", "todos"], "git commit"],
    [["git add -A", "npm test"], undefined],
    [["git add -A && git commit -m x"], undefined],
    [["git push && gh pr create --fill…"], "pull request"],
    [["gh pr create --fill!"], "pull request"],
    [["gh pr create --fill"], undefined],
    [["glab mr create…"], "pull request"],
    [["echo git commit…"], undefined],
  ])("Claude Code: %j is %s", (commands, situation) => {
    expect(afterCalls(...commands).situation).toBe(situation);
  });

  it("ends with the turn", () => {
    const { activity, note } = afterCalls("git add -A");
    note({ type: "turn.completed" });
    expect(situationOf(activity)).toBeUndefined();
  });

  it("is named in several ways, and an unknown name is none", () => {
    expect(readSituations("commit, pr")).toEqual(["git commit", "pull request"]);
    expect(readSituations("git commit,pull-request")).toEqual(["git commit", "pull request"]);
    expect([readSituations(""), readSituations("lunch")]).toEqual([[], undefined]);
  });
});
