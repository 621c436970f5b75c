import type { StreamBase, StreamBody } from "../../core/stream/events.ts";
import type { Decoder, DecoderState, Emit, EventContext } from "../agent.ts";
import { fields } from "../common/values.ts";
import { identity } from "./identity.ts";
import { BASE, SHAPES, shaped } from "./shapes.ts";

/** Decodes the output of `waymark pipe --json`. Its events are emitted unchanged. */
export const waymark: Decoder = {
  ...identity,
  needles: [],
  score: (record) => {
    const given = fields(record);
    if (!given || typeof given.type !== "string" || !Object.hasOwn(SHAPES, given.type)) return 0;
    return shaped(given, BASE).missing === undefined ? 2 : 0;
  },
  start: (source) => ({ session: source.session ?? "" }),
  read,
};

function read(state: DecoderState, record: unknown, emit: Emit): void {
  const given = fields(record);
  const type = given?.type;
  if (!given || typeof type !== "string" || !Object.hasOwn(SHAPES, type)) return;
  const base = shaped(given, BASE);
  const refuse = (missing: string, context: EventContext) =>
    emit(
      {
        type: "warning",
        code: "unknown_record",
        message: `a ${type} event without a valid ${missing}`,
      },
      context,
    );
  if (base.missing !== undefined) {
    refuse(base.missing, {});
    return;
  }
  const original = base.value as unknown as StreamBase;
  state.session = original.sessionId;
  const context = {
    sessionId: original.sessionId,
    agentId: original.agentId,
    at: original.timestamp,
  };
  const body = shaped(given, SHAPES[type] ?? {}, (message) =>
    emit({ type: "warning", code: "bad_item", message }, context),
  );
  if (body.missing !== undefined) {
    refuse(body.missing, context);
    return;
  }
  emit({ type, ...body.value } as StreamBody, { base: original });
}
