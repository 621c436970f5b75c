import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ANSWERS } from "./script.mjs";

/** Serves the Messages API on a loopback port, and returns the options with which Claude Code uses it. */
export async function startClaudeModel() {
  const home = mkdtempSync(join(tmpdir(), "waymark-example-"));
  let turn = 0;
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { tools = [] } = JSON.parse(Buffer.concat(chunks).toString("utf8") || "{}");
    // Requests without tools ask for titles and the like.
    const answer = tools.length > 0 ? forClaude(ANSWERS[turn++]) : { text: "ok" };
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of streamOf(answer ?? { text: "The script has ended." }, turn))
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    options: {
      cwd: home,
      permissionMode: "bypassPermissions",
      allowDangerouslySkipPermissions: true,
      settingSources: [],
      env: {
        PATH: process.env.PATH,
        HOME: home,
        ANTHROPIC_BASE_URL: `http://127.0.0.1:${server.address().port}`,
        ANTHROPIC_API_KEY: "none",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        IS_SANDBOX: "1",
      },
    },
    close: () => {
      server.closeAllConnections();
      server.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Adapts the script: Claude Code reads files with its own tools and has a longer name for Waymark's tool. */
function forClaude(answer) {
  const calls = answer?.calls?.map(({ id, name, input }) =>
    name === "todos"
      ? { id, name: "mcp__waymark__todos", input }
      : { id, name: "Bash", input: { command: `echo ${input.file}`, description: "Look" } },
  );
  return answer && { ...answer, ...(calls && { calls }) };
}

function streamOf({ text, calls = [] }, number) {
  const usage = { input_tokens: 10, output_tokens: 5 };
  const blocks = [
    ...(text
      ? [
          [
            { type: "text", text: "" },
            { type: "text_delta", text },
          ],
        ]
      : []),
    ...calls.map(({ id, name, input }) => [
      { type: "tool_use", id, name, input: {} },
      { type: "input_json_delta", partial_json: JSON.stringify(input) },
    ]),
  ];
  const message = { id: `msg_${number}`, type: "message", role: "assistant", model: "scripted" };
  const stop_reason = calls.length > 0 ? "tool_use" : "end_turn";
  return [
    { type: "message_start", message: { ...message, content: [], stop_reason: null, usage } },
    ...blocks.flatMap(([content_block, delta], index) => [
      { type: "content_block_start", index, content_block },
      { type: "content_block_delta", index, delta },
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
}
