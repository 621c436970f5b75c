// Claude Agent SDK: the list is an in-process MCP server, next to the tools of Claude Code.
import * as claude from "@anthropic-ai/claude-agent-sdk";
import { createTracker, printMarkdown } from "waymark";
import { claudeAgentHooks, claudeAgentServer } from "waymark/sdk/claude-agent";
import { startClaudeModel } from "./scripted/claude-agent.mjs";
import { PROMPT, printReminders } from "./scripted/script.mjs";

const model = await startClaudeModel();
const tracker = createTracker();
printReminders(tracker);

for await (const message of claude.query({
  prompt: PROMPT,
  options: {
    ...model.options,
    mcpServers: { waymark: claudeAgentServer(tracker.tools(), claude) },
    hooks: claudeAgentHooks(tracker),
  },
}))
  if (message.type === "result") console.log(`${message.result}\n`);

console.log(printMarkdown(tracker.own.get()));
model.close();
