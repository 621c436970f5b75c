import { isRecord } from "../../../core/values.ts";
import type { MergedTrack } from "../../../core/views/merged.ts";
import type { ArchiveRequest } from "../../../core/wire.ts";
import type { ArchiveChange } from "../../../sessions/archive.ts";
import { fits, isText } from "../fields.ts";
import { badInput, HttpError, type Route, readJson, sendJson } from "../routes.ts";

export interface ArchiveParts {
  tracks(): readonly MergedTrack[];
  /** Records the decisions and publishes them; absent where nothing may be changed. */
  archive?: ((changes: readonly ArchiveChange[]) => Promise<void>) | undefined;
}

const MAX_SESSIONS = 1_000;

/** Archives sessions, or shows them again. Undoing one is the other. */
export function archiveRoute({ tracks, archive }: ArchiveParts): Route {
  return {
    method: "POST",
    path: "/api/archive",
    async handle({ request, response }) {
      const { sessions, archived } = readArchiveRequest(await readJson(request));
      if (!archive)
        throw new HttpError(409, "not_ours", "Read-only: sessions cannot be archived here.");
      const known = new Set(tracks().map(({ track }) => track.session));
      const missing = sessions.find(({ session }) => !known.has(session));
      if (missing)
        throw new HttpError(404, "unknown_track", "Unknown session. It may have been removed.");
      await archive(sessions.map(({ session, seen }) => ({ session, seen, archived })));
      sendJson(response, 200, { ok: true });
    },
  };
}

function readArchiveRequest(body: unknown): ArchiveRequest {
  if (!isRecord(body)) throw badInput("The body must be a JSON object.");
  const { sessions, archived, ...more } = body;
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) throw badInput(`Unknown field "${unknown.slice(0, 40)}".`);
  if (typeof archived !== "boolean") throw badInput("archived must be true or false.");
  if (!Array.isArray(sessions) || sessions.length === 0 || sessions.length > MAX_SESSIONS)
    throw badInput(`sessions must be an array of 1 to ${MAX_SESSIONS} sessions.`);
  return { sessions: sessions.map(readEntry), archived };
}

function readEntry(value: unknown): ArchiveRequest["sessions"][number] {
  if (!fits(value, { session: isText, seen: Number.isFinite }))
    throw badInput("Each session needs session, a string, and seen, a time in milliseconds.");
  return { session: String(value.session), seen: Number(value.seen) };
}
