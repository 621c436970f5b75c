import { isExpired, MUTE_KINDS, type Mute } from "../../core/activity/mute.ts";
import { CommandError, UsageError } from "../../core/error.ts";
import { formatTime } from "../../core/text/clock.ts";
import { parseDuration } from "../../core/text/duration.ts";
import { terminalLine } from "../../core/text/escape.ts";
import { withIsoTimes } from "../../core/views/json.ts";
import type { MuteLength } from "../../sessions/mutes.ts";
import { type Call, defineCommand, JSON_OPTION } from "../args/command.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { requirePerson } from "../options/person.ts";
import { trackToRead } from "../options/track-selection.ts";

const OPTIONS = {
  for: {
    type: "string",
    value: "DURATION",
    summary: "How long, e.g. 30m, 1h",
    default: "until the finding changes",
  },
  always: { type: "boolean", summary: "As long as the session", perCall: true },
  undo: { type: "boolean", summary: "Show the findings of the session again", perCall: true },
  list: { type: "boolean", summary: "List what is muted", perCall: true },
  json: JSON_OPTION,
} as const;

type MuteCall = Call<typeof OPTIONS>;

export const mute = defineCommand({
  description:
    "Mute the findings of a session (stalled, looping, failing checks): they no longer count, notify or appear in headlines.",
  arguments: [
    {
      name: "SESSION",
      summary: "Session, or at least 4 characters of a generated id",
      optional: true,
      default: "the newest in this directory",
      completions: "sessions",
    },
  ],
  options: OPTIONS,
  notes: [
    "Without --for and --always, only findings that the session has now are muted, until they change.",
    "A muted session counts as working. `waymark show` and the page still name what is muted.",
  ],
  examples: [
    { command: "waymark mute demo", comment: "Mute its findings until they change" },
    { command: "waymark mute demo --for 1h", comment: "Mute them for an hour" },
    { command: "waymark mute demo --undo", comment: "Show them again" },
    { command: "waymark mute --list", comment: "List what is muted" },
  ],
  seeAlso: ["show", "ls"],
  async run(call) {
    const { values, args } = call;
    const [session] = args;
    const { for: duration, always, undo, list } = values;
    const given = [duration !== undefined, always, undo, list].filter(Boolean);
    if (given.length > 1)
      throw new UsageError("--for, --always, --undo and --list cannot be combined.");
    if (list) return listMutes(call, session);
    const length = lengthOf(values);
    requirePerson(call, "Muting a finding");
    const target = { ...call, values: session === undefined ? {} : { session } };
    const { found, family, list: read } = await trackToRead(target);
    if (!found)
      throw new CommandError(
        `No session matches "${read.id.session}". \`waymark ls --all\` lists them.`,
      );
    return undo ? show(call, found.track.session) : hide(call, family, length);
  },
});

function lengthOf({ for: duration, always }: MuteCall["values"]): MuteLength {
  if (always) return "session";
  if (duration === undefined) return "change";
  const length = parseDuration(duration);
  if (length === undefined)
    throw new UsageError(
      `Invalid duration ${JSON.stringify(duration.slice(0, 60))}. Use a duration such as 30m, 1h or 2d.`,
    );
  return length;
}

async function hide(
  { terminal, home, values }: MuteCall,
  family: Awaited<ReturnType<typeof trackToRead>>["family"],
  length: MuteLength,
): Promise<Exit> {
  const { muteFindings } = await import("../../sessions/mutes.ts");
  const now = Date.now();
  const muted = await muteFindings(home.path, family, { length }, now);
  const what = muted.length === MUTE_KINDS.length ? "all findings" : muted.join(" and ");
  if (values.json) terminal.printJson({ muted });
  else if (muted.length === 0)
    terminal.printText("Nothing to mute: not stalled, not looping, and no check fails.");
  else terminal.printText(`Muted ${what} ${endText(endOf(length, now), now)}.`);
  return EXIT.success;
}

async function show({ terminal, home, values }: MuteCall, session: string): Promise<Exit> {
  const { changeMutes, readMutes } = await import("../../sessions/mutes.ts");
  const now = Date.now();
  const kinds = readMutes(home.path)
    .filter((each) => each.session === session && !isExpired(each, now))
    .map(({ kind }) => kind);
  if (kinds.length > 0) await changeMutes(home.path, { session, kinds }, now);
  if (values.json) terminal.printJson({ shown: kinds });
  else if (kinds.length === 0) terminal.printText("Nothing of this session is muted.");
  else terminal.printText(`Shown again: ${kinds.join(", ")}.`);
  return EXIT.success;
}

async function listMutes({ terminal, home, values }: MuteCall, session?: string): Promise<Exit> {
  const { readMutes } = await import("../../sessions/mutes.ts");
  const now = Date.now();
  const mutes = readMutes(home.path).filter(
    (each) => !isExpired(each, now) && (session === undefined || each.session.startsWith(session)),
  );
  if (values.json)
    terminal.printJson(
      mutes.map(({ seen, until, ...mute }) => ({
        ...withIsoTimes(mute),
        ...(until !== undefined && { until: new Date(until).toISOString() }),
        ...(seen && { untilChange: true }),
      })),
    );
  else if (mutes.length === 0) terminal.printText("Nothing is muted.");
  else
    for (const each of mutes)
      terminal.printText(`${terminalLine(each.session)}  ${each.kind} ${endText(each, now)}`);
  return EXIT.success;
}

function endOf(length: MuteLength, now: number): Pick<Mute, "until" | "seen"> {
  if (length === "session") return {};
  return length === "change" ? { seen: {} } : { until: now + length };
}

function endText({ until, seen }: Pick<Mute, "until" | "seen">, now: number): string {
  if (until !== undefined) return `until ${formatTime(until, now) ?? "later"}`;
  return seen ? "until it changes" : "for this session";
}
