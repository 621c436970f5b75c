import type { StreamBase, StreamBody } from "../../core/stream/events.ts";
import type { Decoder, DecoderState, Emit } from "../agent.ts";
import { type Fields, fields } from "../common/values.ts";
import { BASE, SHAPES, shaped } from "../waymark/shapes.ts";
import { AGENT_TYPES } from "./agent-types.ts";
import { identity } from "./identity.ts";

const { sessionId: _, ...MEMBER } = BASE;
/** Events have a member but no session; all members of a stream share one. */
const SESSION = "agent-chatter";
/** Distinguishes milliseconds from seconds: smaller timestamps are in seconds. */
const FIRST_MILLISECONDS = 100_000_000_000;

/** Decodes the JSONL of agent-chatter: one stream for several members, with a member id in each event. */
export const agentChatter: Decoder = {
  ...identity,
  needles: [],
  score: (record) => {
    const given = fields(record);
    if (!given || "sessionId" in given || !isKnown(given.type)) return 0;
    if (shaped(given, MEMBER).missing !== undefined) return 0;
    return Object.hasOwn(AGENT_TYPES, String(given.agentType)) || given.type === "todo_list"
      ? 2
      : 1;
  },
  start: (source) => ({ session: source.session ?? SESSION }),
  read,
};

function isKnown(type: unknown): type is StreamBody["type"] {
  return typeof type === "string" && Object.hasOwn(SHAPES, type);
}

function read(state: DecoderState, record: unknown, emit: Emit): void {
  const given = fields(record);
  if (!given || !isKnown(given.type)) return;
  const { type } = given;
  const base = shaped(given, MEMBER);
  const agentId = typeof given.agentId === "string" ? given.agentId : undefined;
  const context = { ...(agentId && { agentId }) };
  const refuse = (field: string) =>
    emit(
      {
        type: "warning",
        code: "unknown_record",
        message: `a ${type} event without a valid ${field}`,
      },
      context,
    );
  if (base.missing !== undefined) {
    refuse(base.missing);
    return;
  }
  const body = shaped(given, SHAPES[type] ?? {}, (message) =>
    emit({ type: "warning", code: "bad_item", message }, context),
  );
  if (body.missing !== undefined) {
    refuse(body.missing);
    return;
  }
  emit({ type, ...body.value } as StreamBody, { base: baseOf(state, base.value) });
}

function baseOf({ session }: DecoderState, value: Fields): StreamBase {
  const { eventId, agentId, agentType, timestamp } = value as unknown as StreamBase;
  return {
    eventId,
    sessionId: session,
    agentId,
    agentType: Object.hasOwn(AGENT_TYPES, agentType) ? (AGENT_TYPES[agentType] ?? "") : agentType,
    timestamp: timestamp < FIRST_MILLISECONDS ? timestamp * 1_000 : timestamp,
  };
}
