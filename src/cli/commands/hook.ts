import { HOOK_AGENTS, hookAgent } from "../../agents/index.ts";
import { UsageError } from "../../core/error.ts";
import { answerHook } from "../answer-hook.ts";
import { oneOf } from "../args/arguments.ts";
import { defineCommand } from "../args/command.ts";
import { readEvent } from "../io/event-input.ts";
import { EXIT } from "../io/exit.ts";
import { MAX_HOOK_INPUT } from "../io/input.ts";
import { isTty } from "../io/terminal.ts";
import { OFF_IN_OPTION } from "../options/off-in.ts";

const AGENTS = HOOK_AGENTS.map(({ name }) => name);

export const hook = defineCommand({
  arguments: [
    { name: "AGENT", summary: `the agent: ${AGENTS.join(", ")}`, words: AGENTS },
    { name: "EVENT", summary: "the agent's own name of the event" },
  ],
  options: {
    native: {
      type: "boolean",
      summary: "The agent keeps its list with a tool of its own, not ours",
    },
    "off-in": OFF_IN_OPTION,
  },
  notes: [
    "Agents call this; waymark setup AGENT tells them to. The event is one JSON object on the standard input, the answer is in the agent's own form, and mostly there is none.",
    "It never disturbs the agent: whatever goes wrong, it ends with 0, prints nothing and writes a line to hook.log in WAYMARK_HOME. WAYMARK_GUIDANCE=off switches the reminders off, WAYMARK_GUIDANCE=stale,stop some of them.",
  ],
  examples: [
    {
      command: `echo '{"session_id":"demo"}' | waymark hook ${AGENTS[0]} SessionStart`,
      says: "What an agent is told when its session begins",
    },
    {
      command: `echo '{"session_id":"demo"}' | waymark hook ${AGENTS[0]} Stop`,
      says: "And when it stops with todos open",
    },
  ],
  async run({ args, values }) {
    const [agent = "", event = ""] = args;
    if (isTty(0)) {
      oneOf("AGENT", agent, AGENTS);
      const known = Object.keys(hookAgent(agent)?.events ?? {});
      oneOf("EVENT", event, known);
      throw new UsageError("The event's JSON is missing on the standard input.");
    }
    const input = await readEvent(MAX_HOOK_INPUT);
    const { native = false, "off-in": offIn } = values;
    await answerHook({ agent, event, json: input.ok ? input.text : "", native, offIn });
    return EXIT.fine;
  },
});
