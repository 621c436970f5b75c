import type { StreamBase, StreamBody } from "../../core/stream/events.ts";
import type { Dialect, DialectState, Emit } from "../agent.ts";
import { type Fields, fields } from "../common/values.ts";
import { BASE, SHAPES, shaped } from "../waymark/shapes.ts";
import { AGENT_TYPES } from "./agent-types.ts";
import { identity } from "./identity.ts";

const { sessionId: _, ...MEMBER } = BASE;
/** Its events name members but no session: all members of a stream work in one. */
const SESSION = "agent-chatter";
/** Any later moment in milliseconds is above, any in seconds below. */
const FIRST_MILLISECONDS = 100_000_000_000;

/** The JSONL of agent-chatter: one stream for several members, each event with its member's id. */
export const agentChatter: Dialect = {
  ...identity,
  needles: [],
  sniff: (record) => {
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

function read(state: DialectState, record: unknown, emit: Emit): void {
  const given = fields(record);
  if (!given || !isKnown(given.type)) return;
  const { type } = given;
  const base = shaped(given, MEMBER);
  const agentId = typeof given.agentId === "string" ? given.agentId : undefined;
  const about = { ...(agentId && { agentId }) };
  const refuse = (field: string) =>
    emit(
      {
        type: "warning",
        code: "unknown_record",
        message: `a ${type} event without a valid ${field}`,
      },
      about,
    );
  if (base.missing !== undefined) {
    refuse(base.missing);
    return;
  }
  const body = shaped(given, SHAPES[type] ?? {}, (message) =>
    emit({ type: "warning", code: "bad_item", message }, about),
  );
  if (body.missing !== undefined) {
    refuse(body.missing);
    return;
  }
  emit({ type, ...body.value } as StreamBody, { whole: baseOf(state, base.value) });
}

function baseOf({ session }: DialectState, value: Fields): StreamBase {
  const { eventId, agentId, agentType, timestamp } = value as unknown as StreamBase;
  return {
    eventId,
    sessionId: session,
    agentId,
    agentType: Object.hasOwn(AGENT_TYPES, agentType) ? (AGENT_TYPES[agentType] ?? "") : agentType,
    timestamp: timestamp < FIRST_MILLISECONDS ? timestamp * 1_000 : timestamp,
  };
}
