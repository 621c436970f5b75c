import { spawn, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { describe, expect, onTestFinished, test } from "vitest";
import { NO_SDKS } from "./servers/sdk/sdks.ts";

/** Examples with packages that are not dependencies: `npm run test:sdk` runs them. */
const HEAVY = [
  "claude-agent.mjs",
  "google.mjs",
  "langchain.mjs",
  "langgraph.mjs",
  "mastra.mjs",
  "openai-agents.mjs",
];
const ACP = "acp-agent.mjs";
const INK = "ink.mjs";
const TEAM = "team.mjs";

const all = readdirSync("examples").filter((file) => file.endsWith(".mjs"));
const plain = all.filter((file) => ![...HEAVY, ACP, INK, TEAM].includes(file));

const LIST = `- [x] Find where empty files fail
- [x] Fix the parser
- [/] Add a test
`;

describe("examples", () => {
  test("runs every example, here or with the heavy packages", () => {
    expect(all.length).toBe(plain.length + HEAVY.length + 3);
    expect(plain).toEqual([
      "ai-sdk.mjs",
      "anthropic.mjs",
      "openai-chat.mjs",
      "openai-responses.mjs",
      "own-loop.mjs",
    ]);
  });

  test.for(plain)(
    "%s: stores the list, reminds of it, restores it and prints it",
    (file, { skip }) => {
      if (/anthropic|openai/.test(file)) skip(NO_SDKS !== "", NO_SDKS);
      const { stdout, stderr } = spawnSync(process.execPath, [`examples/${file}`], {
        encoding: "utf8",
      });
      expect(stderr).toBe("");
      expect(stdout).toContain("reminder (stale):\n");
      expect(stdout).toContain("reminder (recovery):\n");
      expect(stdout.indexOf("(stale)")).toBeLessThan(stdout.indexOf("(recovery)"));
      expect(stdout.trimEnd().endsWith(LIST.trimEnd())).toBe(true);
    },
  );

  test(`${TEAM}: claims one task after the other, each with one owner`, () => {
    const { stdout, stderr } = spawnSync(process.execPath, [`examples/${TEAM}`], {
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    const answers = [...stdout.matchAll(/^(ann|bob) \{.*\}\n(.*)$/gm)];
    expect(answers.map(([, who, answer]) => `${who}: ${answer}`)).toEqual([
      "ann: Added:",
      "ann: Added:",
      'ann: You own t1 (P2) "Lay the floor"',
      "bob: No task is ready: 1 is claimed, 1 is blocked. Add a task, or tell the user.",
      "ann: t1 is done.",
      'bob: You own t2 (P2) "Paint the walls"',
      expect.stringMatching(/^ann: t2 is claimed by "bob" until /),
      "bob: t2 is released. Other agents can claim it.",
    ]);
  });

  test(`${INK}: draws the list, the current todo and the board`, () => {
    const { stdout, stderr } = spawnSync(process.execPath, [`examples/${INK}`], {
      encoding: "utf8",
      env: { ...process.env, FORCE_COLOR: "0", CI: "1" },
    });
    expect(stderr).toBe("");
    const last = stdout.replace(/\x1b\[[0-9;]*[A-Za-z]/g, "");
    for (const text of ["Add a test", "├─ ✓ Fix the parser", "waymark   1 working"])
      expect([text, last.includes(text)]).toEqual([text, true]);
  });

  test(`${ACP}: shows an editor the plan and the tool calls`, async () => {
    const agent = spawn(process.execPath, [`examples/${ACP}`], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(() => void agent.kill());
    const updates: acp.SessionUpdate[] = [];
    const { initialize, session } = acp.methods.agent;
    const stream = acp.ndJsonStream(
      Writable.toWeb(agent.stdin),
      Readable.toWeb(agent.stdout) as ReadableStream<Uint8Array>,
    );
    const stopReason = await acp
      .client({ name: "editor" })
      .onNotification(acp.methods.client.session.update, ({ params }) => {
        updates.push(params.update);
      })
      .connectWith(stream, async (context) => {
        await context.request(initialize, { protocolVersion: acp.PROTOCOL_VERSION });
        const { sessionId } = await context.request(session.new, { cwd: "/", mcpServers: [] });
        const prompt = [{ type: "text" as const, text: "Fix it" }];
        const asked = { sessionId, prompt };
        return (await context.request<acp.PromptResponse>(session.prompt, asked)).stopReason;
      });
    expect(stopReason).toBe("end_turn");
    const plans = updates.filter((update) => update.sessionUpdate === "plan");
    expect(plans.at(-1)?.entries.map(({ content, status }) => [content, status])).toEqual([
      ["Find where empty files fail", "completed"],
      ["Fix the parser", "completed"],
      ["Add a test", "in_progress"],
    ]);
    const count = (kind: string) =>
      updates.filter(({ sessionUpdate }) => sessionUpdate === kind).length;
    expect([count("tool_call"), count("tool_call_update")]).toEqual([13, 13]);
  });
});
