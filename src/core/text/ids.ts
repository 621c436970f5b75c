import type { TrackId } from "../model.ts";

/**
 * Session and agent ids become parts of file names: only characters that are harmless there, and
 * nothing that would make `<session>-agent-<agent>` ambiguous.
 */
const ALLOWED = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const MAX_LENGTH = 100;
/** Stands between session and agent in file names. */
export const SEPARATOR = "-agent-";

/** What is wrong with an id, in words; nothing when it is fine. */
export function checkId(kind: "session" | "agent", id: unknown): string | undefined {
  if (typeof id !== "string" || id === "") return `The ${kind} id is empty.`;
  if (id.length > MAX_LENGTH)
    return `The ${kind} id has ${id.length} characters; at most ${MAX_LENGTH} are allowed.`;
  if (!ALLOWED.test(id))
    return `The ${kind} id may hold letters, digits, ".", "_" and "-" only, and starts with a letter or digit.`;
  if (kind === "session" && `${id}-`.includes(SEPARATOR))
    return `The session id may neither contain "${SEPARATOR}" nor end in "-agent".`;
  return undefined;
}

const GENERATED = /^(?:[\da-f]{8}-[\da-f]{4}-|ses_)/i;

/** Whether a program generated a session id. Nobody types all of such an id. */
export function isGeneratedId(session: string): boolean {
  return GENERATED.test(session);
}

/** The agent that a user talks to; all others of a session are subagents. */
export const MAIN_AGENT = "main";

/** One string for a track id. No two ids share one, whatever characters they hold. */
export function trackKey({ session, agent }: TrackId): string {
  return JSON.stringify([session, agent]);
}
