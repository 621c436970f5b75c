import { describe, expect, it } from "vitest";
import { createTracker } from "../../../src/index.ts";
import { type ClaudeHookInput, claudeAgentHooks } from "../../../src/sdk/claude-agent.ts";

const TOOL = "mcp__waymark__todos";

/** A tracker, and a function that calls its hooks like Claude Code, one after the other. */
function session() {
  const tracker = createTracker();
  const hooks = claudeAgentHooks(tracker);
  const fire = async (
    hook_event_name: string,
    more: Omit<ClaudeHookInput, "hook_event_name"> = {},
  ) => {
    const [hook] = hooks[hook_event_name as keyof typeof hooks]?.[0]?.hooks ?? [];
    if (!hook) throw new Error(`no hook for ${hook_event_name}`);
    return hook({ hook_event_name, ...more });
  };
  const bash = (command: string, tool_response: object, more: object = {}) =>
    fire("PostToolUse", { tool_name: "Bash", tool_input: { command, ...more }, tool_response });
  return { tracker, fire, bash };
}

describe("the hooks of the Claude Agent SDK", () => {
  it("record activity once, without the calls of Waymark's tool", async () => {
    const { tracker, fire, bash } = session();
    await fire("SessionStart", { source: "startup", cwd: "/srv" });
    await fire("UserPromptSubmit", { prompt: "Go" });
    await fire("PreToolUse", { tool_name: TOOL, tool_use_id: "1", tool_input: {} });
    await fire("PostToolUse", { tool_name: TOOL, tool_use_id: "1", tool_response: "ok" });
    await fire("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" } });
    await bash("ls", { stdout: "a" });
    await fire("PostToolUseFailure", { tool_name: "Bash", error: "Exit code 3" });
    // Subagents do not work on this list.
    await fire("PreToolUse", { tool_name: "Bash", tool_input: {}, agent_id: "sub" });
    const { activity } = tracker.own.read();
    expect(activity?.counts).toMatchObject({ turns: 1, tools: 1, failed: 1 });
    await fire("Stop", { last_assistant_message: "Done." });
    expect(tracker.own.read().activity?.turn).toBe("completed");
  });

  it("ask the agent to continue when it stops with open todos", async () => {
    const { tracker, fire } = session();
    await fire("UserPromptSubmit", { prompt: "Go" });
    tracker.own.set([{ text: "Fix it", status: "in_progress" }]);
    expect(await fire("Stop", { last_assistant_message: "That is all." })).toEqual({
      decision: "block",
      reason: expect.stringContaining("Fix it"),
    });
    expect(await fire("SessionStart", { source: "compact" })).toEqual({
      hookSpecificOutput: {
        hookEventName: "SessionStart",
        additionalContext: expect.stringContaining("Fix it"),
      },
    });
  });

  it("accept a passed check as evidence, but not one that still runs or was interrupted", async () => {
    const proofs = [];
    for (const [response, input] of [
      [{ stdout: "ok" }, {}],
      [{ stdout: "", backgroundTaskId: "b1" }, {}],
      [{ stdout: "" }, { run_in_background: true }],
      [{ stdout: "", interrupted: true }, {}],
    ] as const) {
      const { tracker, fire, bash } = session();
      await fire("UserPromptSubmit", { prompt: "Go" });
      tracker.own.set([{ text: "Fix it", status: "in_progress" }]);
      await fire("PreToolUse", {
        tool_name: "Bash",
        tool_input: { command: "npm test", ...input },
      });
      await bash("npm test", response, input);
      await tracker.own.submit([{ op: "finish", target: { any: "1" } }]);
      await fire("Stop", {});
      proofs.push(tracker.own.get()[0]?.check?.command);
    }
    expect(proofs).toEqual(["npm test", undefined, undefined, undefined]);
  });

  it("close the list while Claude Code is in plan mode", async () => {
    const { tracker, fire } = session();
    await fire("UserPromptSubmit", { prompt: "Plan it", permission_mode: "plan" });
    expect(tracker.own.read().mode).toBe("plan");
    await fire("UserPromptSubmit", { prompt: "Go", permission_mode: "default" });
    expect(tracker.own.read().mode).toBe("work");
  });
});
