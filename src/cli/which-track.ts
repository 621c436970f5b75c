import { realpathSync } from "node:fs";
import { basename } from "node:path";
import { checkId } from "../core/ids.ts";
import type { Track, TrackId } from "../core/model.ts";
import type { List } from "../tracker.ts";
import type { Call, Options } from "./command.ts";
import { NoAnswer, UsageError } from "./exit.ts";

/** What every command about one list takes. */
export const TRACK_OPTIONS = {
  session: {
    type: "string",
    value: "ID",
    summary: "The session; else the newest list of this directory",
    words: "sessions",
  },
  agent: {
    type: "string",
    value: "ID",
    summary: 'The agent of the session; else "main"',
    words: "agents",
  },
} as const satisfies Options;

type TrackCall = Pick<Call<typeof TRACK_OPTIONS>, "values" | "terminal" | "home">;

const MAIN = "main";

/** The track that the options name; nothing when no session is named. */
export function namedTrack(values: TrackCall["values"]): TrackId | undefined {
  const { session, agent } = values;
  if (session !== undefined) refuseBad(checkId("session", session), session);
  if (agent !== undefined) refuseBad(checkId("agent", agent), agent);
  return session === undefined ? undefined : { session, agent: agent ?? MAIN };
}

function refuseBad(problem: string | undefined, given: string): void {
  if (problem !== undefined)
    throw new UsageError(`${problem} Given was ${JSON.stringify(given.slice(0, 60))}.`);
}

/** The newest track of this directory, of the given agent if there is one given. */
async function newestHere({ values, home }: TrackCall): Promise<Track | undefined> {
  const tracker = await home.reading();
  const tracks = await tracker.tracks({ cwd: process.cwd() });
  return tracks.find(({ agent }) => values.agent === undefined || agent === values.agent);
}

/** Named by the options, or found for this directory and then said. */
async function findTrack(call: TrackCall): Promise<TrackId | undefined> {
  const named = namedTrack(call.values);
  if (named) return named;
  const found = await newestHere(call);
  if (!found) return undefined;
  call.terminal.say(`session ${found.session}, agent ${found.agent}`);
  return { session: found.session, agent: found.agent };
}

/** The list that a command looks at. */
export async function listToRead(call: TrackCall): Promise<List> {
  return (await call.home.reading()).list(await trackHere(call));
}

/** The list of a command that changes what is there already. */
export async function listToChange(call: TrackCall): Promise<List> {
  const id = await trackHere(call);
  return (await call.home.writing()).list(id, { cwd: process.cwd() });
}

async function trackHere(call: TrackCall): Promise<TrackId> {
  const id = await findTrack(call);
  if (id) return id;
  throw new NoAnswer(
    "No list belongs to this directory yet. Begin one with: waymark todo add TEXT; or name one with --session (waymark ls shows them all).",
  );
}

/** The track of a command that may begin a list: one for this directory when there is none. */
export async function trackToWrite(call: TrackCall): Promise<TrackId> {
  const found = await findTrack(call);
  if (found) return found;
  const id = { session: await sessionFor(process.cwd()), agent: call.values.agent ?? MAIN };
  call.terminal.say(`session ${id.session}, agent ${id.agent} (new, for this directory)`);
  return id;
}

export async function listToWrite(call: TrackCall): Promise<List> {
  const id = await trackToWrite(call);
  return (await call.home.writing()).list(id, { cwd: process.cwd() });
}

/** A session of its own for a directory: its name, to be known by, and a hash of its whole path. */
export async function sessionFor(directory: string): Promise<string> {
  // Loaded for a new list only: it is a large part of what starting the program costs.
  const { createHash } = await import("node:crypto");
  const name = basename(directory)
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 40);
  const hash = createHash("sha256").update(realpathSync(directory)).digest("hex").slice(0, 6);
  // Session ids may not contain "-agent-": it divides session and agent in file names.
  return `${name || "dir"}-${hash}`.replaceAll("-agent-", "-agent_");
}
