// An agent for editors, over the Agent Client Protocol. The editor shows its list as the plan and its calls as tool calls.
// Start it from an ACP client (Zed and others): `node examples/acp-agent.mjs`.
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { createTracker } from "waymark";
import { acpEra, acpUpdates } from "waymark/acp";
import { askModel } from "./scripted/plain.mjs";
import { lookAt } from "./scripted/script.mjs";

const { initialize, session } = acp.methods.agent;
const tracker = createTracker();
const sessionId = "session-1";
let era;

const connection = acp
  .agent({ name: "waymark-example" })
  .onRequest(initialize, ({ params: { protocolVersion } }) => {
    era = acpEra(protocolVersion);
    return { protocolVersion, agentCapabilities: {} };
  })
  .onRequest(session.new, () => ({ sessionId }))
  .onRequest(session.prompt, async ({ client }) => {
    const updates = acpUpdates(tracker.own, client, sessionId, { era });
    await work();
    await updates.settled();
    updates.close();
    return { stopReason: "end_turn" };
  })
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
await connection.closed;

async function work() {
  const tools = tracker.tools();
  for (;;) {
    const { calls } = await askModel([tracker.context()], tools);
    if (!calls) return;
    for (const { id, name, input } of calls) {
      const ours = tools.find((tool) => tool.name === name);
      if (ours) await ours.execute(input, { key: id });
      else {
        tracker.observe({ type: "tool.started", callId: id, name, input });
        tracker.observe({ type: "tool.completed", callId: id, name, output: lookAt(input) });
      }
    }
  }
}
