import type { Decoder, DecoderState } from "../../agents/agent.ts";
import { discover } from "./discover.ts";
import { machineOf } from "./machine.ts";
import { readUnit } from "./read-units.ts";
import { unitsOf } from "./sessions.ts";

/**
 * The decoder state of a session from its files on this machine: from documents, which have the whole
 * list, or else from the transcript. Undefined if none of them has a list.
 */
export function earlierState(
  env: Readonly<Record<string, string | undefined>>,
  dialect: Decoder,
  session: string,
): DecoderState | undefined {
  const { sources } = discover([dialect], machineOf(env, undefined));
  const own = sources.filter((each) => each.session === session && each.agent === undefined);
  const isTranscript = ([{ kind }]: (typeof units)[number]) => Number(kind === "file");
  const units = unitsOf(own);
  for (const unit of units.toSorted((a, b) => isTranscript(a) - isTranscript(b))) {
    const entry = readUnit(unit, undefined, dialect, {});
    const hasList = Object.values(entry?.lives ?? {}).some(({ track }) => track.todos.length > 0);
    if (entry && hasList) return entry.state;
  }
  return undefined;
}
