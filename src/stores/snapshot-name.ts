import { join } from "node:path";
import { WaymarkError } from "../core/error.ts";
import type { TrackId } from "../core/model.ts";
import { checkId, SEPARATOR } from "../core/text/ids.ts";

const JOURNAL = ".events.jsonl";
const SNAPSHOT = ".json";

/** The files of a track. */
export interface TrackFiles {
  readonly snapshot: string;
  readonly journal: string;
  readonly queue: string;
}

function problemOf({ session, agent }: TrackId): string | undefined {
  return checkId("session", session) ?? checkId("agent", agent);
}

/** The paths of a track. Ids are validated first, so no path is outside of `dir`. */
export function filesOf(dir: string, id: TrackId): TrackFiles {
  const problem = problemOf(id);
  if (problem) throw new WaymarkError("bad_id", `${problem} It names files in ${dir}.`);
  const base = join(dir, `${id.session}${SEPARATOR}${id.agent}`);
  return {
    snapshot: `${base}${SNAPSHOT}`,
    journal: `${base}${JOURNAL}`,
    queue: `${base}.queue`,
  };
}

/** The track of a file name, and the kind of the file. */
export function trackOfName(
  name: string,
): { readonly id: TrackId; readonly kind: "journal" | "snapshot" } | undefined {
  const kind = name.endsWith(JOURNAL) ? "journal" : "snapshot";
  const ending = kind === "journal" ? JOURNAL : SNAPSHOT;
  const at = name.indexOf(SEPARATOR);
  if (at === -1 || !name.endsWith(ending)) return undefined;
  const id = {
    session: name.slice(0, at),
    agent: name.slice(at + SEPARATOR.length, -ending.length),
  };
  return problemOf(id) ? undefined : { id, kind };
}
