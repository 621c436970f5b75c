import { latestChanges } from "../../core/archive.ts";
import { CommandError, UsageError } from "../../core/error.ts";
import { counted } from "../../core/text/count.ts";
import { parseDuration } from "../../core/text/duration.ts";
import { terminalLine } from "../../core/text/escape.ts";
import { isoTime } from "../../core/views/json.ts";
import { titleOf } from "../../core/views/title.ts";
import type { AnyTrack } from "../../sessions/any-track.ts";
import { changeArchive } from "../../sessions/archive.ts";
import { listSessions } from "../../sessions/listing/list.ts";
import { matchesName } from "../../sessions/resolve.ts";
import { type Call, defineCommand, JSON_OPTION } from "../args/command.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { requirePerson } from "../options/person.ts";
import { STORE_OPTION } from "../options/shared-store.ts";
import { trackForm } from "../print/track-form.ts";
import { tableOf } from "../print/tracks-table.ts";

const OPTIONS = {
  undo: { type: "boolean", summary: "Take sessions out of the archive", perCall: true },
  list: { type: "boolean", summary: "List archived sessions", perCall: true },
  "all-finished": {
    type: "boolean",
    summary: "Archive every session whose list is finished",
    perCall: true,
  },
  "older-than": {
    type: "string",
    value: "DURATION",
    summary: "Archive every session without a change for this long, e.g. 12h or 7d",
    perCall: true,
  },
  ...STORE_OPTION,
  json: JSON_OPTION,
} as const;

type ArchiveCall = Call<typeof OPTIONS>;

export const archive = defineCommand({
  description:
    "Hide sessions on the board, the page, `waymark ls` and in notifications until they change.",
  arguments: [
    {
      name: "SESSION",
      summary: "Session, or at least 4 characters of a generated id",
      optional: true,
      repeatable: true,
      completions: "sessions",
    },
  ],
  options: OPTIONS,
  notes: [
    "An archived session comes back as soon as its agent or you change it. Nothing is deleted: `waymark show`, `report` and `cost` still have it.",
    "With WAYMARK_ARCHIVE_AFTER set, sessions without a change for that long are archived automatically, unless they wait for you.",
    "--all-finished and --older-than can be combined: both must apply. Sessions that wait for you are left out.",
  ],
  examples: [
    { command: "waymark archive demo", comment: "Hide a session until it changes" },
    { command: "waymark archive --all-finished", comment: "Hide everything that is finished" },
    { command: "waymark archive --list", comment: "List what is hidden" },
    { command: "waymark archive --undo demo", comment: "Show it again" },
  ],
  seeAlso: ["ls", "show"],
  async run(call) {
    const { args, values } = call;
    const isBulk = values["all-finished"] || values["older-than"] !== undefined;
    if (values.list) {
      if (args.length > 0 || values.undo || isBulk)
        throw new UsageError("--list takes no sessions and no other selection.");
      return list(call);
    }
    if (args.length > 0 && isBulk)
      throw new UsageError("Name sessions, or select them with --all-finished or --older-than.");
    if (args.length === 0 && !isBulk)
      throw new UsageError(
        values.undo
          ? "Name the sessions to show again; `waymark archive --list` lists them."
          : "Name the sessions to archive, or use --all-finished or --older-than; `waymark ls` lists them.",
      );
    requirePerson(call, "Archiving sessions");
    const now = Date.now();
    const { tracks } = await listSessions(call, { all: true, store: values.store }, now);
    const chosen = args.length > 0 ? named(tracks, args) : selected(tracks, call, now);
    return change(call, tracks, chosen, now);
  },
});

async function list(call: ArchiveCall): Promise<Exit> {
  const { values, terminal } = call;
  const now = Date.now();
  const found = await listSessions(call, { archived: true, store: values.store }, now);
  if (values.json) terminal.printJson(found.tracks.map((each) => trackForm(each)));
  else if (found.tracks.length === 0) terminal.print("No archived sessions.");
  else terminal.print(await tableOf(found, terminal, false, now, new Map()));
  return EXIT.success;
}

/** The sessions with these names. Throws if one is unknown or ambiguous. */
function named(tracks: readonly AnyTrack[], names: readonly string[]): readonly string[] {
  const known = [...new Set(tracks.map(({ track }) => track.session))];
  return names.map((name) => {
    if (known.includes(name)) return name;
    const [only, ...others] = known.filter((session) => matchesName(session, name));
    if (only === undefined)
      throw new CommandError(
        `No session matches "${name}", so nothing was changed. \`waymark ls --all\` lists them.`,
      );
    if (others.length > 0)
      throw new CommandError(
        `"${name}" matches ${others.length + 1} sessions, so nothing was changed. Use more characters of the id.`,
      );
    return only;
  });
}

/** The sessions that the options select. */
function selected(
  tracks: readonly AnyTrack[],
  { values }: ArchiveCall,
  now: number,
): readonly string[] {
  const isUndo = values.undo === true;
  const given = values["older-than"];
  const age = given === undefined ? 0 : parseDuration(given);
  if (age === undefined)
    throw new UsageError(
      `Invalid --older-than ${JSON.stringify(given?.slice(0, 40))}. Use a duration such as 12h or 7d.`,
    );
  const isFinished = new Set(
    tracks.flatMap(({ track, state }) => (state === "finished" ? [track.session] : [])),
  );
  const isBusy = new Set(
    tracks.flatMap(({ track, state }) =>
      state === "needs_you" || state === "working" ? [track.session] : [],
    ),
  );
  const isArchived = new Set(tracks.flatMap((each) => (each.archived ? [each.track.session] : [])));
  return [...latestChanges(tracks)].flatMap(([session, latest]) => {
    if (isArchived.has(session) !== isUndo || now - latest < age) return [];
    if (values["all-finished"] && !isFinished.has(session)) return [];
    return !isUndo && isBusy.has(session) ? [] : [session];
  });
}

async function change(
  call: ArchiveCall,
  tracks: readonly AnyTrack[],
  sessions: readonly string[],
  now: number,
): Promise<Exit> {
  const { values, terminal, home } = call;
  const archived = values.undo !== true;
  const latest = latestChanges(tracks);
  const changes = [...new Set(sessions)].map((session) => ({
    session,
    archived,
    seen: latest.get(session) ?? now,
  }));
  if (changes.length > 0) await changeArchive(home.path, changes, now);
  const titles = new Map(
    tracks.toReversed().map((each) => [each.track.session, titleOf(each)] as const),
  );
  if (values.json) {
    terminal.printJson(
      changes.map(({ session }) => ({
        session,
        title: titles.get(session) ?? "",
        archived,
        at: isoTime(now),
      })),
    );
    return EXIT.success;
  }
  const [first, ...others] = changes;
  if (!first) {
    terminal.print(archived ? "No session to archive." : "No archived session to show.");
    return EXIT.success;
  }
  const what =
    others.length > 0
      ? counted(changes.length, "session")
      : `“${terminalLine(titles.get(first.session) || first.session)}”`;
  terminal.print(
    archived
      ? `Archived ${what}. ${others.length > 0 ? "They come back when they change" : "It comes back when it changes"}; \`waymark archive --undo\` shows ${others.length > 0 ? "them" : "it"} now.`
      : `Shown again: ${what}.`,
  );
  return EXIT.success;
}
