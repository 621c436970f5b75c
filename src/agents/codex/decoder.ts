import type { Decoder } from "../agent.ts";
import { fields } from "../common/values.ts";
import { appServerMessage, readAppServerMessage } from "./app-server.ts";
import { locations } from "./files.ts";
import { identity } from "./identity.ts";
import { announce, type CodexState, newState, pendingNeedles, threadEmit } from "./state.ts";
import { endStream, isStreamEvent, mayBeStreamEvent, readStreamEvent } from "./stream.ts";
import { isTranscriptLine, readTranscriptLine, readTranscriptUsage } from "./transcript.ts";
import { USAGE_FIELDS } from "./usage.ts";

export const codex: Decoder<CodexState> = {
  ...identity,
  needles: [
    '"turn_context"',
    "update_plan",
    "proposed_plan",
    '"Plan"',
    '"waymark"',
    "mcp__waymark",
  ],
  pendingNeedles,
  usage: { needle: '"token_count"', fields: USAGE_FIELDS, read: readTranscriptUsage },
  score: (record) => {
    const given = fields(record);
    if (!given) return 0;
    if (isStreamEvent(given) || isTranscriptLine(given) || appServerMessage(given)) return 2;
    return mayBeStreamEvent(given) ? 1 : 0;
  },
  start: newState,
  read: (state, record, emit) => {
    const given = fields(record);
    if (!given) return;
    if (isTranscriptLine(given)) return readTranscriptLine(state, given, emit);
    if (isStreamEvent(given) || mayBeStreamEvent(given)) return readStreamEvent(state, given, emit);
    const message = appServerMessage(given);
    if (message) readAppServerMessage(state, message, emit);
  },
  end: (state, emit) => {
    if (state.self.facts) announce(state.self, undefined, threadEmit(state.self, undefined, emit));
    if (state.kind === "stream") endStream(state, emit);
  },
  locations: locations,
  listSetting: {
    since: "0.152",
    why: "update_plan is off by default",
    setting: "[tools.update_plan] with enabled = true in its config.toml",
  },
};
