import * as langchain from "langchain";
import * as waymark from "waymark";
import { langchainMiddleware, langchainTools } from "waymark/sdk/langchain";
import { adapterSuite, type SdkAdapter } from "../servers/sdk/adapter-suite.ts";
import { type SdkConversation, sdkConversation } from "../servers/sdk/conversation-suite.ts";
import { look, ScriptedChat } from "./langchain-model.ts";

const { createAgent, createMiddleware, tool } = langchain;

const adapter: SdkAdapter = {
  name: "langchain, createAgent",
  async offered(ready) {
    const model = new ScriptedChat([{ text: "Done." }]);
    const agent = createAgent({ model, tools: langchainTools(ready, tool) });
    await agent.invoke({ messages: [{ role: "user", content: "Go" }] });
    return model.offered;
  },
  async answer(ready, calls, { host, signal }) {
    const model = new ScriptedChat([{ calls }, { text: "Done." }]);
    const agent = createAgent({ model, tools: langchainTools(ready, tool, host) });
    const { messages } = await agent.invoke(
      { messages: [{ role: "user", content: "Go" }] },
      { ...(signal && { signal }) },
    );
    return calls.map(({ id }) => {
      const result = messages.find((one) => "tool_call_id" in one && one.tool_call_id === id);
      return String(result?.content);
    });
  },
};

const conversation: SdkConversation = {
  name: "langchain, middleware",
  async run(tracker, answers, { trimAt = Number.POSITIVE_INFINITY }) {
    const model = new ScriptedChat(answers);
    const trimming = createMiddleware({
      name: "trimming",
      wrapModelCall: (request, handler) => {
        const { messages } = request;
        if (model.requests.length + 1 < trimAt) return handler(request);
        return handler({ ...request, messages: [...messages.slice(0, 1), ...messages.slice(-2)] });
      },
    });
    const agent = createAgent({
      model,
      tools: [look],
      middleware: [trimming, langchainMiddleware(tracker, langchain)],
    });
    await agent.invoke(
      { messages: [{ role: "user", content: "Fix it" }] },
      { recursionLimit: 500 },
    );
    return model.requests.slice(0, answers.length).map((messages) => JSON.stringify(messages));
  },
};

adapterSuite(waymark, adapter);
sdkConversation(waymark, conversation);
