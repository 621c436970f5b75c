// For the type checker only: the SDKs accept the results of the adapters.
import * as claude from "@anthropic-ai/claude-agent-sdk";
import { Agent, type AgentInputItem, type RunConfig } from "@openai/agents";
import * as langchain from "langchain";
import { createTracker } from "waymark";
import { claudeAgentHooks, claudeAgentServer } from "waymark/sdk/claude-agent";
import { langchainMiddleware, langchainTools } from "waymark/sdk/langchain";
import { agentsSession, agentsTools } from "waymark/sdk/openai-agents";

const tracker = createTracker();

export const agent = new Agent({ name: "tern", tools: agentsTools(tracker.tools()) });
const { callModelInputFilter } = agentsSession<AgentInputItem>(tracker);
export const config: Partial<RunConfig> = { callModelInputFilter };

export const model = langchain.createAgent({
  model: "scripted",
  tools: langchainTools(tracker.tools(), langchain.tool),
  middleware: [langchainMiddleware(tracker, langchain)],
});

export const options: claude.Options = {
  mcpServers: { waymark: claudeAgentServer(tracker.tools(), claude) },
  hooks: claudeAgentHooks(tracker),
};
