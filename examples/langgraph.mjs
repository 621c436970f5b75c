// LangGraph: a graph of your own with the tools, the reminders, the recovery and the question at the end.
import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createTracker, printMarkdown } from "waymark";
import { langchainSession } from "waymark/sdk/langchain";
import { model } from "./scripted/langchain.mjs";
import { compacted, lookAt, PROMPT, printReminders } from "./scripted/script.mjs";

const tracker = createTracker();
printReminders(tracker);

const look = tool(lookAt, {
  name: "look",
  description: "Reads a file.",
  schema: { type: "object", properties: { file: { type: "string" } }, required: ["file"] },
});

const waymark = langchainSession(tracker, { tool, HumanMessage });
const tools = [look, ...waymark.tools];
const graph = new StateGraph(MessagesAnnotation)
  .addNode("model", async ({ messages }) => {
    const sent = await waymark.before(compacted(messages));
    return { messages: [await model.bindTools(tools).invoke(sent)] };
  })
  .addNode("tools", new ToolNode(tools))
  .addNode("stop", async ({ messages }) => {
    const question = await waymark.stop(messages);
    return { messages: question ? [question] : [] };
  })
  .addEdge(START, "model")
  .addConditionalEdges("model", ({ messages }) =>
    messages.at(-1).tool_calls?.length > 0 ? "tools" : "stop",
  )
  .addEdge("tools", "model")
  .addConditionalEdges("stop", ({ messages }) => (messages.at(-1).type === "human" ? "model" : END))
  .compile();

const { messages } = await graph.invoke(
  { messages: [new HumanMessage(PROMPT)] },
  { recursionLimit: 200 },
);

console.log(`${messages.at(-1).content}\n\n${printMarkdown(tracker.own.get())}`);
