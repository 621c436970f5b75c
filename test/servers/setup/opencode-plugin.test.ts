import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pluginText } from "../../../src/agents/common/setup/plugin.ts";
import { PLUGIN_BODY } from "../../../src/agents/opencode/plugin.ts";
import { setupOf } from "./agents.ts";
import { newSandbox } from "./sandbox.ts";

type Hook = (...given: unknown[]) => Promise<void>;
type Hooks = Readonly<Record<string, Hook>>;

let sandbox: ReturnType<typeof newSandbox>;
beforeEach(() => {
  sandbox = newSandbox();
});
afterEach(() => sandbox.end());

const EVENTS = setupOf("opencode").events({ mode: "waymark" });
const log = () => join(sandbox.root, "log.jsonl");
const received = () =>
  readFileSync(log(), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

/** The plugin as opencode loads it. Every event runs this script with the event name as first argument. */
async function plugin(script: string, client: unknown = {}): Promise<Hooks> {
  const file = sandbox.path("hook.sh");
  writeFileSync(file, script);
  const commands = EVENTS.map((event) => [event, `sh '${file}' ${event} '${log()}'`]);
  sandbox.write(
    "waymark.mjs",
    pluginText({ agent: "opencode", body: PLUGIN_BODY, events: [] }, Object.fromEntries(commands)),
  );
  const { Waymark } = await import(pathToFileURL(sandbox.path("waymark.mjs")).href);
  return Waymark({ client, directory: "/srv" });
}

const hook = (hooks: Hooks, name: string): Hook => hooks[name] ?? (() => Promise.reject(name));

const SPEAKING = `cat >> "$2"; echo >> "$2"
printf '{"hookSpecificOutput":{"additionalContext":"said at %s"}}' "$1"`;

describe("opencode plugin", () => {
  it("passes prompts and tool calls to the commands, and their answers to the model", async () => {
    const hooks = await plugin(SPEAKING);
    await hook(
      hooks,
      "event",
    )({
      event: { type: "session.created", properties: { info: { id: "s", parentID: "p" } } },
    });
    const parts: unknown[] = [{ id: "prt_1", type: "text", text: "Go" }];
    await hook(hooks, "chat.message")({ sessionID: "s" }, { message: { id: "m" }, parts });
    expect(parts.slice(1)).toEqual(
      ["SessionStart", "UserPromptSubmit"].map((event, index) => ({
        id: `prt_1w${index}`,
        sessionID: "s",
        messageID: "m",
        type: "text",
        text: `said at ${event}`,
        synthetic: true,
      })),
    );
    const call = { tool: "bash", sessionID: "s", callID: "c", args: { command: "ls" } };
    await hook(hooks, "tool.execute.before")(call, { args: call.args });
    const output = { title: "ls", output: "a", metadata: { exit: 0 } };
    await hook(hooks, "tool.execute.after")(call, output);
    expect(output.output).toBe("a\n\nsaid at PostToolUse");
    const content = { content: [{ type: "text", text: "b" }] };
    await hook(hooks, "tool.execute.after")({ ...call, tool: "waymark_todos" }, content);
    expect(content.content.at(-1)).toEqual({ type: "text", text: "said at PostToolUse" });
    const about = { session_id: "s", cwd: "/srv", parent_session_id: "p" };
    const tool = { ...about, tool_name: "bash", tool_input: { command: "ls" }, tool_use_id: "c" };
    expect(received()).toEqual([
      { ...about, hook_event_name: "SessionStart", source: "startup" },
      { ...about, hook_event_name: "UserPromptSubmit", prompt: "Go" },
      { ...tool, hook_event_name: "PreToolUse" },
      {
        ...tool,
        hook_event_name: "PostToolUse",
        tool_response: { title: "ls", output: "a", metadata: { exit: 0 } },
      },
      {
        ...tool,
        tool_name: "waymark_todos",
        hook_event_name: "PostToolUse",
        tool_response: { content: [{ type: "text", text: "b" }] },
      },
    ]);
  });

  it.each([
    ["opencode", [], undefined],
    ["opencode run", ["run", "Do the work"], true],
    ["opencode run --attach", ["run", "--attach=http://127.0.0.1:1", "Do the work"], undefined],
  ])(
    "%s: requests an answer to a stop only if the model can receive it",
    async (_, words, without) => {
      const { argv } = process;
      process.argv = ["bun", "index.js", ...words];
      try {
        const hooks = await plugin(`cat >> "$2"; echo >> "$2"`);
        const idle = { type: "session.idle", properties: { sessionID: "s" } };
        await hook(hooks, "event")({ event: idle });
      } finally {
        process.argv = argv;
      }
      expect(received()).toMatchObject([{ hook_event_name: "Stop", session_id: "s" }]);
      expect(received()[0].no_answer).toBe(without);
    },
  );

  it("restores the list after a compaction, once", async () => {
    const hooks = await plugin(SPEAKING);
    const message = async () => {
      const parts: { text: string }[] = [];
      await hook(hooks, "chat.message")({ sessionID: "s" }, { message: { id: "m" }, parts });
      return parts.map(({ text }) => text);
    };
    expect(await message()).toEqual(["said at SessionStart"]);
    const context: string[] = [];
    await hook(hooks, "experimental.session.compacting")({ sessionID: "s" }, { context });
    expect(context).toEqual(["said at PreCompact"]);
    await hook(
      hooks,
      "event",
    )({
      event: { type: "session.compacted", properties: { sessionID: "s" } },
    });
    expect(await message()).toEqual(["said at SessionStart"]);
    expect(await message()).toEqual([]);
    const sources = received().flatMap(({ source }) => source ?? []);
    expect(sources).toEqual(["resume", "compact"]);
  });

  it("continues after a refused stop, and reports that it already did", async () => {
    const sent: unknown[] = [];
    const client = { session: { promptAsync: async (prompt: unknown) => sent.push(prompt) } };
    const hooks = await plugin(
      'cat >> "$2"; echo >> "$2"; printf \'{"decision":"block","reason":"Two are open"}\'',
      client,
    );
    const idle = () =>
      hook(hooks, "event")({ event: { type: "session.idle", properties: { sessionID: "s" } } });
    await idle();
    await idle();
    const prompt = {
      path: { id: "s" },
      body: { parts: [{ type: "text", text: "Two are open", synthetic: true }] },
    };
    expect(sent).toEqual([prompt, prompt]);
    expect(received().map((input) => input.stop_hook_active)).toEqual([false, true]);
  });

  it.each([
    ["a missing command", "exec /no/such/program"],
    ["nonsense", "echo '{nonsense'"],
    ["silence", "true"],
    ["another shape", "echo '[1]'"],
  ])("never interferes with the agent: %s", async (_, script) => {
    const hooks = await plugin(script);
    const output = { output: "a" };
    await hook(hooks, "tool.execute.after")({ tool: "x", sessionID: "s" }, output);
    await hook(hooks, "tool.execute.after")(undefined, undefined);
    await hook(hooks, "event")({});
    expect(output).toEqual({ output: "a" });
  });
});
