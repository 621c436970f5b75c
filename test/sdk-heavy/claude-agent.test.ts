import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as claude from "@anthropic-ai/claude-agent-sdk";
import { expect, onTestFinished, test } from "vitest";
import * as waymark from "waymark";
import { claudeAgentHooks, claudeAgentServer } from "waymark/sdk/claude-agent";
import { adapterSuite, type SdkAdapter } from "../servers/sdk/adapter-suite.ts";
import { type MessagesRequest, scriptedServer } from "./anthropic-server.ts";

const TOOL = "mcp__waymark__todos";

/** Runs the real Claude Code, in its own home and working directory. */
async function runClaude(url: string, options: claude.Options): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "waymark-claude-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const { PATH = "" } = process.env;
  for await (const _ of claude.query({
    prompt: "Go",
    options: {
      cwd: home,
      permissionMode: "bypassPermissions",
      allowDangerouslySkipPermissions: true,
      settingSources: [],
      env: {
        PATH,
        HOME: home,
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: "none",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_AUTOUPDATER: "1",
        IS_SANDBOX: "1",
      },
      ...options,
    },
  }));
}

function resultsIn({ messages }: MessagesRequest): ReadonlyMap<string, string> {
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return new Map(
    blocks
      .filter((block) => block.type === "tool_result")
      .map((block) => [
        block.tool_use_id,
        typeof block.content === "string"
          ? block.content
          : block.content.map((part: { text?: string }) => part.text ?? "").join("\n"),
      ]),
  );
}

const adapter: SdkAdapter = {
  name: "claude-agent, query",
  async offered(ready) {
    const { url, requests } = await scriptedServer([{ text: "Done." }]);
    await runClaude(url, { mcpServers: { waymark: claudeAgentServer(ready, claude) } });
    return (requests[0]?.tools ?? [])
      .filter(({ name }) => name === TOOL)
      .map(({ description = "", input_schema: schema = {} }) => ({
        name: "todos",
        description,
        schema,
      }));
  },
  async answer(ready, calls, { host, signal }) {
    const abortController = new AbortController();
    if (signal?.aborted) abortController.abort(signal.reason);
    const named = calls.map((call) => ({ ...call, name: TOOL }));
    const { url, requests } = await scriptedServer([{ calls: named }, { text: "Done." }]);
    const server = claudeAgentServer(ready, claude, host);
    await runClaude(url, { mcpServers: { waymark: server }, abortController });
    const results = requests[1] ? resultsIn(requests[1]) : new Map<string, string>();
    return calls.map(({ id }) => results.get(id) ?? "");
  },
};

adapterSuite(waymark, adapter);

test("claude-agent hooks record the activity of Claude Code and send reminders to the model", async () => {
  const tracker = waymark.createTracker();
  const reminders: { readonly kind: string; readonly text: string }[] = [];
  tracker.own.subscribe(({ changes }) => {
    for (const change of changes) if (change.type === "reminded") reminders.push(change);
  });
  const write = { todos: [{ text: "Fix it", status: "in_progress" }] };
  const { url, requests } = await scriptedServer([
    { calls: [{ id: "w", name: TOOL, input: write }] },
    ...Array.from({ length: 11 }, (_, index) => ({
      calls: [{ id: `b${index}`, name: "Bash", input: { command: `echo ${index}` } }],
    })),
    { calls: [{ id: "x", name: "Bash", input: { command: "exit 3" } }] },
    { calls: [{ id: "f", name: TOOL, input: { finish: ["1"] } }] },
    { text: "Done." },
  ]);
  await runClaude(url, {
    mcpServers: { waymark: claudeAgentServer(tracker.tools(), claude) },
    hooks: claudeAgentHooks(tracker),
  });
  const sent = JSON.stringify(requests.at(-1)?.messages);
  expect(reminders.filter(({ kind }) => kind === "stale")).toHaveLength(1);
  for (const { text } of reminders) expect(sent).toContain(JSON.stringify(text).slice(1, -1));
  const { activity, todos } = tracker.own.read();
  expect(todos.map(({ text, status }) => [text, status])).toEqual([["Fix it", "completed"]]);
  expect(activity?.counts).toMatchObject({ turns: 1, tools: 12, failed: 1 });
  expect(activity?.turn).toBe("completed");
});
