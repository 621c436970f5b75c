import type { Decoder } from "../agent.ts";
import { resultNeedles } from "../common/result-needles.ts";
import { fields, text } from "../common/values.ts";
import { isWaymarkTool, WAYMARK_NEEDLES } from "../common/waymark-tool.ts";
import { chat } from "./chat.ts";
import { locations } from "./files.ts";
import { identity } from "./identity.ts";
import { type KimiState, startKimi } from "./state.ts";
import { readUsage, USAGE_FIELDS } from "./usage.ts";
import { isListTool, readWire } from "./wire.ts";

/** Types of records that only this agent writes. */
const OWN_TYPE =
  /^(?:tools\.update_store|context\.append_loop_event|profile\.bind|usage\.record|llm\.request|turn\.prompt|agent\.message\.appended)$/;

export const kimi: Decoder<KimiState> = {
  ...identity,
  needles: [
    ...chat.needles,
    ...WAYMARK_NEEDLES,
    '"tools.update_store"',
    '"profile.bind"',
    '"llm.request"',
    '"subagent.spawned"',
    '"interaction.request"',
    '"interaction.resolved"',
    '"plan_mode.',
    '"context.apply_compaction"',
  ],
  pendingNeedles: (state) =>
    resultNeedles(
      state.calls
        .filter(([, { name }]) => isListTool(name) || isWaymarkTool(name))
        .map(([id]) => id),
      "toolCallId",
      "tool_call_id",
    ),
  usage: { needle: '"usage.record"', fields: USAGE_FIELDS, read: readUsage },
  score: (record) => {
    const given = fields(record);
    if (!given) return 0;
    if (OWN_TYPE.test(text(given.type) ?? "")) return 2;
    return given.type === "metadata" && text(given.protocol_version) ? 1 : chat.score(record);
  },
  start: startKimi,
  read: (state, record, emit) => {
    const given = fields(record);
    if (!given) return;
    if (given.role === undefined) readWire(state, given, emit);
    else {
      chat.read(state, given, emit);
      if (given.role === "meta" && given.type === "session.resume_hint")
        emit({ type: "turn.completed" });
    }
  },
  locations: locations,
};
