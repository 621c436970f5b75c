import type { StreamBase, StreamBody } from "../../core/stream/events.ts";
import type { About, Dialect, DialectState, Emit } from "../agent.ts";
import { fields } from "../common/values.ts";
import { identity } from "./identity.ts";
import { BASE, SHAPES, shaped } from "./shapes.ts";

/** Our own lines, as `waymark pipe --json` prints them: they come back as they are. */
export const waymark: Dialect = {
  ...identity,
  needles: [],
  sniff: (record) => {
    const given = fields(record);
    if (!given || typeof given.type !== "string" || !Object.hasOwn(SHAPES, given.type)) return 0;
    return shaped(given, BASE).missing === undefined ? 2 : 0;
  },
  start: (source) => ({ session: source.session ?? "" }),
  read,
};

function read(state: DialectState, record: unknown, emit: Emit): void {
  const given = fields(record);
  const type = given?.type;
  if (!given || typeof type !== "string" || !Object.hasOwn(SHAPES, type)) return;
  const base = shaped(given, BASE);
  const refuse = (missing: string, about: About) =>
    emit(
      {
        type: "warning",
        code: "unknown_record",
        message: `a ${type} event without a valid ${missing}`,
      },
      about,
    );
  if (base.missing !== undefined) {
    refuse(base.missing, {});
    return;
  }
  const whole = base.value as unknown as StreamBase;
  state.session = whole.sessionId;
  const who = { sessionId: whole.sessionId, agentId: whole.agentId, at: whole.timestamp };
  const body = shaped(given, SHAPES[type] ?? {}, (message) =>
    emit({ type: "warning", code: "bad_item", message }, who),
  );
  if (body.missing !== undefined) {
    refuse(body.missing, who);
    return;
  }
  emit({ type, ...body.value } as StreamBody, { whole });
}
