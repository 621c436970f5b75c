// For the type checker only: the SDKs accept the results of the adapters.
import * as claude from "@anthropic-ai/claude-agent-sdk";
import { type Content, GoogleGenAI } from "@google/genai";
import type { BaseMessage } from "@langchain/core/messages";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { Agent as MastraAgent } from "@mastra/core/agent";
import { Agent, type AgentInputItem, type RunConfig } from "@openai/agents";
import * as langchain from "langchain";
import { createTracker } from "waymark";
import { claudeAgentHooks, claudeAgentServer } from "waymark/sdk/claude-agent";
import { googleSession } from "waymark/sdk/google";
import { langchainMiddleware, langchainSession, langchainTools } from "waymark/sdk/langchain";
import { mastraSession } from "waymark/sdk/mastra";
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

const graph = langchainSession(tracker, langchain);
export const node = new ToolNode(graph.tools);
export const update: { messages: BaseMessage[] } = {
  messages: await graph.before<BaseMessage>([new langchain.HumanMessage("Fix it")]),
};

export const options: claude.Options = {
  mcpServers: { waymark: claudeAgentServer(tracker.tools(), claude) },
  hooks: claudeAgentHooks(tracker),
};

const mastra = mastraSession(tracker);
export const fixer = new MastraAgent({
  id: "tern",
  name: "tern",
  instructions: "Fix it.",
  model: "openai/gpt-5",
  tools: mastra.tools,
  inputProcessors: [mastra.processor],
  defaultOptions: { onIterationComplete: mastra.onIterationComplete },
});

const google = googleSession<Content>(tracker);
export const { functionCalls } = await new GoogleGenAI({}).models.generateContent({
  model: "scripted",
  config: { tools: [{ functionDeclarations: google.tools }] },
  contents: await google.before([{ role: "user", parts: [{ text: "Fix it" }] }]),
});
export const content: Content = { role: "user", parts: await google.answer(functionCalls) };
