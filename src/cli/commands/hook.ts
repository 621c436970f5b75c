import { findHookAgent, HOOK_AGENTS } from "../../agents/hooks.ts";
import { UsageError } from "../../core/error.ts";
import { answerHook } from "../answer-hook.ts";
import { parseChoice } from "../args/arguments.ts";
import { defineCommand } from "../args/command.ts";
import { readEvent } from "../io/event-input.ts";
import { EXIT } from "../io/exit.ts";
import { MAX_HOOK_INPUT } from "../io/input.ts";
import { isTty } from "../io/terminal.ts";
import { OFF_IN_OPTION } from "../options/off-in.ts";

const AGENTS = HOOK_AGENTS.map(({ name }) => name);

export const hook = defineCommand({
  arguments: [
    { name: "AGENT", summary: `Agent: ${AGENTS.join(", ")}`, completions: AGENTS },
    { name: "EVENT", summary: "Event, as the agent names it" },
  ],
  toleratesBrokenFiles: true,
  options: {
    native: {
      type: "boolean",
      summary: "The agent uses its own list tool",
      perCall: true,
    },
    "off-in": OFF_IN_OPTION,
  },
  notes: [
    "Agents run this command after `waymark setup AGENT`. The event is one JSON object on standard input; the answer, if there is one, is in the agent's own format.",
    "A hook never disturbs its agent: on any error it exits with 0, prints nothing and adds a line to hook.log in WAYMARK_HOME. WAYMARK_GUIDANCE=off disables the reminders, WAYMARK_GUIDANCE=stale,stop only some.",
  ],
  examples: [
    {
      command: `echo '{"session_id":"demo"}' | waymark hook ${AGENTS[0]} SessionStart`,
      comment: "Print what the agent gets when a session starts",
    },
    {
      command: `echo '{"session_id":"demo"}' | waymark hook ${AGENTS[0]} Stop`,
      comment: "Print what it gets when it stops with open todos",
    },
  ],
  seeAlso: ["setup"],
  async run({ args, values }) {
    const [agent = "", event = ""] = args;
    if (isTty(0)) {
      parseChoice("AGENT", agent, AGENTS);
      const known = Object.keys(findHookAgent(agent)?.events ?? {});
      parseChoice("EVENT", event, known);
      throw new UsageError("Missing the JSON of the event on standard input.");
    }
    const input = await readEvent(MAX_HOOK_INPUT);
    const { native = false, "off-in": offIn } = values;
    await answerHook({ agent, event, json: input.ok ? input.text : "", native, offIn });
    return EXIT.success;
  },
});
