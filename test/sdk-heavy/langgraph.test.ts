import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { expect, test } from "vitest";
import * as waymark from "waymark";
import { langchainSession, langchainTools } from "waymark/sdk/langchain";
import { adapterSuite, type SdkAdapter } from "../servers/sdk/adapter-suite.ts";
import { type SdkConversation, sdkConversation } from "../servers/sdk/conversation-suite.ts";
import { look, ScriptedChat } from "./langchain-model.ts";

type Tools = ReturnType<typeof langchainTools<typeof look>>;
type State = typeof MessagesAnnotation.State;

const callsOf = ({ messages }: State) =>
  (messages.at(-1) as { tool_calls?: readonly unknown[] } | undefined)?.tool_calls?.length ?? 0;

/** A graph as the documentation of LangGraph builds it: a model, its tools, and back. */
function graphOf(
  model: ScriptedChat,
  tools: Tools,
  before = async (state: State) => state.messages,
) {
  const bound = model.bindTools(tools);
  return new StateGraph(MessagesAnnotation)
    .addNode("model", async (state) => ({ messages: [await bound.invoke(await before(state))] }))
    .addNode("tools", new ToolNode(tools))
    .addEdge(START, "model")
    .addConditionalEdges("model", (state) => (callsOf(state) > 0 ? "tools" : END))
    .addEdge("tools", "model")
    .compile();
}

const adapter: SdkAdapter = {
  name: "langgraph, ToolNode",
  async offered(ready) {
    const model = new ScriptedChat([{ text: "Done." }]);
    await graphOf(model, langchainTools(ready, tool)).invoke({
      messages: [new HumanMessage("Go")],
    });
    return model.offered;
  },
  async answer(ready, calls, { host, signal }) {
    const model = new ScriptedChat([{ calls }, { text: "Done." }]);
    const { messages } = await graphOf(model, langchainTools(ready, tool, host)).invoke(
      { messages: [new HumanMessage("Go")] },
      { ...(signal && { signal }) },
    );
    return calls.map(({ id }) => {
      const result = messages.find((one) => "tool_call_id" in one && one.tool_call_id === id);
      return String(result?.content);
    });
  },
};

const conversation: SdkConversation = {
  name: "langgraph, StateGraph",
  async run(tracker, answers, { trimAt = Number.POSITIVE_INFINITY }) {
    const model = new ScriptedChat(answers);
    const session = langchainSession(tracker, { tool, HumanMessage });
    const graph = graphOf(model, [look, ...session.tools] as Tools, async ({ messages }) =>
      session.before(
        model.requests.length + 1 < trimAt
          ? messages
          : [...messages.slice(0, 1), ...messages.slice(-2)],
      ),
    );
    await graph.invoke({ messages: [new HumanMessage("Fix it")] }, { recursionLimit: 500 });
    return model.requests.slice(0, answers.length).map((messages) => JSON.stringify(messages));
  },
};

adapterSuite(waymark, adapter);
sdkConversation(waymark, conversation);

test("langgraph: stop asks a model that ends with open todos, and then lets it end", async () => {
  const tracker = waymark.createTracker();
  const session = langchainSession(tracker, { tool, HumanMessage });
  const model = new ScriptedChat([
    { calls: [{ id: "w1", name: "todos", input: { todos: [{ text: "Write the fix" }] } }] },
    { calls: [{ id: "l1", name: "look", input: { at: 1 } }] },
    { text: "I stop." },
    { text: "I really stop." },
  ]);
  const tools = [look, ...session.tools] as Tools;
  const bound = model.bindTools(tools);
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("model", async ({ messages }) => ({
      messages: [await bound.invoke(await session.before(messages))],
    }))
    .addNode("tools", new ToolNode(tools))
    .addNode("stop", async ({ messages }) => ({
      messages: [await session.stop(messages)].filter((question) => question !== undefined),
    }))
    .addEdge(START, "model")
    .addConditionalEdges("model", (state) => (callsOf(state) > 0 ? "tools" : "stop"))
    .addEdge("tools", "model")
    .addConditionalEdges("stop", ({ messages }) =>
      messages.at(-1)?.getType() === "human" ? "model" : END,
    )
    .compile();
  const { messages } = await graph.invoke({ messages: [new HumanMessage("Fix it")] });
  expect(model.requests).toHaveLength(4);
  expect(messages.filter((one) => one.getType() === "human")).toHaveLength(2);
  expect(String(messages.findLast((one) => one.getType() === "human")?.content)).toContain(
    "Write the fix",
  );
  expect(messages.at(-1)?.content).toBe("I really stop.");
});
