import { identityOf } from "../../agents/identities.ts";
import { NoAnswer, UsageError } from "../../core/error.ts";
import type { TrackId } from "../../core/model.ts";
import { checkId, MAIN_AGENT } from "../../core/text/ids.ts";
import { machineOfSession } from "../../core/views/relayed.ts";
import { neededDirectory, originHere } from "../../home/directory.ts";
import type { ReadList } from "../../sessions/read-list.ts";
import type {
  Found,
  ResolvedList,
  ResolvedTrack,
  Unresolved,
  Wanted,
} from "../../sessions/resolve.ts";
import type { Target } from "../../sessions/target.ts";
import type { List } from "../../tracker.ts";
import { type Call, HOME_OPTION, type Options } from "../args/command.ts";

/** What every command about one list takes. */
export const TRACK_OPTIONS = {
  session: {
    type: "string",
    value: "ID",
    summary:
      "The session, or the first 4 signs or more of a generated id; else the newest of this directory",
    words: "sessions",
  },
  agent: {
    type: "string",
    value: "ID",
    summary: 'The agent of the session; else "main"',
    words: "agents",
  },
} as const satisfies Options;

/** For commands that only look. */
export const READ_OPTIONS = {
  ...TRACK_OPTIONS,
  home: HOME_OPTION,
} as const satisfies Options;

type ReadCall = Pick<Call<typeof READ_OPTIONS>, "values" | "terminal" | "home" | "env">;
type TrackCall = Pick<Call<typeof TRACK_OPTIONS>, "values" | "terminal" | "home" | "env">;

/** The track that the options name; undefined if no session is named. */
export function namedTrack(values: TrackCall["values"]): TrackId | undefined {
  const { session, agent } = values;
  const elsewhere = session === undefined ? undefined : machineOfSession(session);
  if (elsewhere)
    throw new NoAnswer(
      `The list of session ${session} is kept on the machine ${elsewhere.machine}: it is shown here, but changed only there.`,
    );
  if (session !== undefined) refuseBad(checkId("session", session), session);
  if (agent !== undefined) refuseBad(checkId("agent", agent), agent);
  return session === undefined ? undefined : { session, agent: agent ?? MAIN_AGENT };
}

function refuseBad(problem: string | undefined, given: string): void {
  if (problem !== undefined)
    throw new UsageError(`${problem} Given was ${JSON.stringify(given.slice(0, 60))}.`);
}

const directory = () => neededDirectory(", or name the list with --session");

// Loaded by the commands that need them, and only then.
const resolving = () => import("../../sessions/resolve.ts");
const targeting = () => import("../../sessions/target.ts");

interface ReadingOptions {
  /** Only the list as it is now is needed. */
  readonly onlyNow?: boolean;
  /** Without a named session, means that of the agent that runs the command. */
  readonly ofCaller?: boolean;
  /** Of several lists in this directory, says how to choose another. */
  readonly saysChoice?: boolean;
}

/** The list that a command reads, whichever source keeps it. */
export async function listToRead(
  call: ReadCall,
  { onlyNow = false, ofCaller = false, saysChoice = false }: ReadingOptions = {},
): Promise<ReadList> {
  const wanted = await wantedBy(call, ofCaller);
  const { resolveList } = await resolving();
  const { home: userHome } = call.values;
  const resolved = await resolveList(call, wanted, { userHome, directory, onlyNow });
  return report(call, resolved, saysChoice).list;
}

/** The track that a command reads, with its subagents. */
export async function trackToRead(call: ReadCall): Promise<ResolvedTrack> {
  const wanted = await wantedBy(call, true);
  const { resolveTrack } = await resolving();
  const { home: userHome } = call.values;
  return report(call, await resolveTrack(call, wanted, { userHome, directory }), false);
}

async function wantedBy(call: ReadCall, ofCaller: boolean): Promise<Wanted> {
  const { session, agent, home } = call.values;
  const given = { session, agent };
  // Another user's home has nothing of the agent that runs this command.
  const wanted =
    ofCaller && session === undefined && home === undefined
      ? (await resolving()).orCaller(call, given)
      : given;
  const isElsewhere = home === undefined && machineOfSession(wanted.session ?? "");
  if (!isElsewhere)
    namedTrack({
      ...(wanted.session !== undefined && { session: wanted.session }),
      ...(agent !== undefined && { agent }),
    });
  return wanted;
}

/** Says which list was chosen where its name was not given in full. */
function report<R extends ResolvedList>(
  call: ReadCall,
  resolved: R | Unresolved,
  saysChoice: boolean,
): R {
  if ("problem" in resolved) throw unresolved(resolved, call.values);
  if (resolved.by === "prefix") say(call, resolved.list.id);
  if (resolved.by === "directory")
    say(call, resolved.list.id, saysChoice ? choiceOf("the newest", resolved) : "");
  return resolved;
}

function say({ terminal }: TrackCall, { session, agent }: TrackId, choice = ""): void {
  terminal.say(`session ${session}, agent ${agent}${choice}`);
}

function choiceOf(
  which: "the newest" | "your own",
  { count }: Found & { readonly by: "directory" },
): string {
  return count > 1
    ? ` (${which} of ${count} lists here; choose with --session, waymark ls --cwd shows them)`
    : "";
}

const SHOWN = 5;

/** Why nothing was found, and what to do about it. */
function unresolved(why: Unresolved, { home }: ReadCall["values"]): NoAnswer {
  switch (why.problem) {
    case "ambiguous": {
      const { given, sessions } = why;
      const more = sessions.length > SHOWN ? `, and ${sessions.length - SHOWN} more` : "";
      const shown = `${sessions.slice(0, SHOWN).join(", ")}${more}`;
      return new NoAnswer(
        `"${given}" is the beginning of ${sessions.length} sessions: ${shown}. Give more of it.`,
      );
    }
    case "no_server":
      return new NoAnswer(
        `"${why.given}" is of another machine. Set WAYMARK_STORE to the server that it relays to.`,
      );
    case "external": {
      const { live } = why.track;
      const name = identityOf(live.agentType)?.name ?? live.agentType;
      return new NoAnswer(
        `The list of session ${live.session} is ${name}'s own: it is shown, but only ${name} changes it. Ask the agent to; or keep a list of yours under another name: waymark todo add TEXT --session NAME.`,
      );
    }
    case "unknown": {
      const { id, machine } = why;
      return new NoAnswer(
        machine === undefined
          ? `Nothing is known of session ${id.session}, agent ${id.agent}, in ${home}.`
          : `Nothing is known of session ${id.session} on ${machine}. waymark ls shows what is.`,
      );
    }
    case "none_here":
      return new NoAnswer(
        home === undefined
          ? "No list belongs to this directory yet. Begin one with: waymark todo add TEXT; or name one with --session (waymark ls shows them all)."
          : `No track in ${home} belongs to this directory. Name one with --session.`,
      );
  }
}

/** The list of a command that changes what exists. */
export async function listToChange(call: TrackCall): Promise<List> {
  namedTrack(call.values);
  const target = await (await targeting()).targetToChange(call, call.values, { directory });
  if ("problem" in target && target.problem === "unknown") {
    const { session, agent } = target.id;
    throw new NoAnswer(
      `Session ${session} has no list of agent ${agent}. Begin one with: waymark todo add TEXT --session ${session}.`,
    );
  }
  // Throws before the store is opened, which would create it.
  const id = reportTarget(call, target);
  return (await call.home.writing()).list(id, originHere());
}

/** The track that an agent's tool call writes to. */
export async function trackOfTool(call: TrackCall): Promise<TrackId> {
  const named = namedTrack(call.values);
  if (named) return named;
  return reportTarget(
    call,
    await (await targeting()).targetOfTool(call, call.values, { directory }),
  );
}

/** The track of a person's command that may create a list. */
export async function trackToWrite(call: TrackCall): Promise<TrackId> {
  namedTrack(call.values);
  return reportTarget(
    call,
    await (await targeting()).targetToWrite(call, call.values, { directory }),
  );
}

export async function listToWrite(call: TrackCall): Promise<List> {
  const id = await trackToWrite(call);
  return (await call.home.writing()).list(id, originHere());
}

/** Says which list was chosen where its name was not given in full. */
function reportTarget(call: TrackCall, target: Target | Unresolved): TrackId {
  if ("problem" in target) throw unresolved(target, {});
  const { id } = target;
  switch (target.by) {
    case "name":
      break;
    case "prefix":
      say(call, id);
      break;
    case "directory":
      say(call, id, choiceOf(target.isOwn ? "your own" : "the newest", target));
      break;
    case "new":
      if (target.agents !== undefined)
        call.terminal.say(
          `To add to the list of an agent, name it: --session ${target.agents} (waymark ls --cwd shows all).`,
        );
      say(call, id, " (new, for this directory)");
  }
  return id;
}
