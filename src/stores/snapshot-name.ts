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

/** Ids become names only after a check: nothing outside of `dir` can be reached. */
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

/** The track that a file name stands for, and which of its files it is. */
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
