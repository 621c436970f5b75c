import type { Dialect, DialectState } from "../../agents/agent.ts";
import { machineOf } from "./agents.ts";
import { discover } from "./discover.ts";
import { readUnit } from "./reading.ts";
import { unitsOf } from "./sessions.ts";

/**
 * What the files on this machine say of a session: documents first, which have the whole list, then
 * the transcript. Nothing where none of them has a list.
 */
export function earlierState(
  env: Readonly<Record<string, string | undefined>>,
  dialect: Dialect,
  session: string,
): DialectState | undefined {
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
