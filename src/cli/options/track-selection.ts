import { identityOf } from "../../agents/identities.ts";
import { CommandError, UsageError } from "../../core/error.ts";
import type { TrackId } from "../../core/model.ts";
import { checkId, MAIN_AGENT } from "../../core/text/ids.ts";
import { machineOfSession } from "../../core/views/relayed.ts";
import { originHere, requireCurrentDirectory } from "../../home/current-directory.ts";
import type { ReadList } from "../../sessions/read-list.ts";
import type {
  Found,
  ResolvedList,
  ResolvedTrack,
  SessionSelector,
  Unresolved,
} from "../../sessions/resolve.ts";
import type { Target } from "../../sessions/target.ts";
import type { List } from "../../tracker.ts";
import { type Call, HOME_OPTION, type Options } from "../args/command.ts";

/** For commands about one list. */
export const TRACK_OPTIONS = {
  session: {
    type: "string",
    value: "ID",
    summary: "Session, or at least 4 characters of a generated id",
    default: "the newest in this directory",
    completions: "sessions",
    perCall: true,
  },
  agent: {
    type: "string",
    value: "ID",
    summary: "Agent of the session",
    default: "main",
    completions: "agents",
    perCall: true,
  },
} as const satisfies Options;

/** For commands that only read. */
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
    throw new CommandError(
      `The list of ${session} can only be changed on ${elsewhere.machine}. Run this command there.`,
    );
  if (session !== undefined) refuseBad(checkId("session", session), session);
  if (agent !== undefined) refuseBad(checkId("agent", agent), agent);
  return session === undefined ? undefined : { session, agent: agent ?? MAIN_AGENT };
}

function refuseBad(problem: string | undefined, given: string): void {
  if (problem !== undefined)
    throw new UsageError(`Invalid id ${JSON.stringify(given.slice(0, 60))}. ${problem}`);
}

const directory = () => requireCurrentDirectory(", or name the list with --session");

// Imported on demand: most commands need neither.
const resolving = () => import("../../sessions/resolve.ts");
const targeting = () => import("../../sessions/target.ts");

interface ReadingOptions {
  /** The history is not needed. */
  readonly onlyNow?: boolean;
  /** Without --session, use the session of the agent that runs the command. */
  readonly prefersCaller?: boolean;
  /** If the directory has several lists, print how to choose another. */
  readonly explainsChoice?: boolean;
}

/** The list that a command reads, from any source. */
export async function listToRead(
  call: ReadCall,
  { onlyNow = false, prefersCaller = false, explainsChoice = false }: ReadingOptions = {},
): Promise<ReadList> {
  const wanted = await wantedBy(call, prefersCaller);
  const { resolveList } = await resolving();
  const { home: userHome } = call.values;
  const resolved = await resolveList(call, wanted, { userHome, directory, onlyNow });
  return report(call, resolved, explainsChoice).list;
}

/** The track that a command reads, with its subagents. */
export async function trackToRead(call: ReadCall): Promise<ResolvedTrack> {
  const wanted = await wantedBy(call, true);
  const { resolveTrack } = await resolving();
  const { home: userHome } = call.values;
  return report(call, await resolveTrack(call, wanted, { userHome, directory }), false);
}

/** The track that a command reads; undefined if no session is named and the directory has none. */
export async function trackIfAny(call: ReadCall): Promise<ResolvedTrack | undefined> {
  const wanted = await wantedBy(call, true);
  const { resolveTrack } = await resolving();
  const resolved = await resolveTrack(call, wanted, { userHome: call.values.home, directory });
  if ("problem" in resolved && resolved.problem === "none_here") return undefined;
  return report(call, resolved, true);
}

async function wantedBy(call: ReadCall, prefersCaller: boolean): Promise<SessionSelector> {
  const { session, agent, home } = call.values;
  const given = { session, agent };
  // The calling agent has no sessions in another home directory.
  const wanted =
    prefersCaller && session === undefined && home === undefined
      ? (await resolving()).withCallerSession(call, given)
      : given;
  const isElsewhere = home === undefined && machineOfSession(wanted.session ?? "");
  if (!isElsewhere)
    namedTrack({
      ...(wanted.session !== undefined && { session: wanted.session }),
      ...(agent !== undefined && { agent }),
    });
  return wanted;
}

/** Prints which list was chosen if it was not named in full. */
function report<R extends ResolvedList>(
  call: ReadCall,
  resolved: R | Unresolved,
  explainsChoice: boolean,
): R {
  if ("problem" in resolved) throw unresolved(resolved, call.values);
  if (resolved.by === "prefix") printSelection(call, resolved.list.id);
  if (resolved.by === "directory")
    printSelection(call, resolved.list.id, explainsChoice ? choiceOf("the newest", resolved) : "");
  return resolved;
}

function printSelection({ terminal }: TrackCall, { session, agent }: TrackId, choice = ""): void {
  terminal.printError(`session ${session}, agent ${agent}${choice}`);
}

function choiceOf(
  which: "the newest" | "your own",
  { count }: Found & { readonly by: "directory" },
): string {
  return count > 1
    ? ` (${which} of ${count} lists here; \`waymark ls --cwd\` lists them, --session selects one)`
    : "";
}

const SHOWN = 5;

/** Why no list was found, and what to do. */
function unresolved(why: Unresolved, { home }: ReadCall["values"]): CommandError {
  switch (why.problem) {
    case "ambiguous": {
      const { given, sessions } = why;
      const more = sessions.length > SHOWN ? `, and ${sessions.length - SHOWN} more` : "";
      const shown = `${sessions.slice(0, SHOWN).join(", ")}${more}`;
      return new CommandError(
        `"${given}" matches ${sessions.length} sessions: ${shown}. Use more characters of the id.`,
      );
    }
    case "no_server":
      return new CommandError(
        `"${why.given}" is a session of another machine. Set WAYMARK_STORE to the server that it relays to.`,
      );
    case "external": {
      const { live } = why.track;
      const name = identityOf(live.agentType)?.name ?? live.agentType;
      return new CommandError(
        `Only ${name} can change the list of session ${live.session}. Ask the agent to, or start a list of your own with \`waymark todo add TEXT --session NAME\`.`,
      );
    }
    case "unknown": {
      const { id, machine } = why;
      return new CommandError(
        machine === undefined
          ? `No session matches "${id.session}", agent ${id.agent}, in ${home}.`
          : `No session matches "${id.session}" on ${machine}. \`waymark ls --all\` lists them.`,
      );
    }
    case "none_here":
      if (why.archived !== undefined)
        return new CommandError(
          `Every session in this directory is archived. Name one with --session (\`waymark ls --archived\` lists them), or show one again with \`waymark archive --undo SESSION\`.`,
        );
      return new CommandError(
        home === undefined
          ? "No todo list in this directory yet. Start one with `waymark todo add TEXT`, or name a session with --session (`waymark ls --all` lists them)."
          : `No session in ${home} belongs to this directory. Name one with --session.`,
      );
  }
}

/** The list of a command that changes what exists. */
export async function listToChange(call: TrackCall): Promise<List> {
  namedTrack(call.values);
  const target = await (await targeting()).targetToChange(call, call.values, { directory });
  if ("problem" in target && target.problem === "unknown") {
    const { session, agent } = target.id;
    throw new CommandError(
      `Session ${session} has no list of agent ${agent}. Start one with \`waymark todo add TEXT --session ${session}\`.`,
    );
  }
  // Throws before the store is opened, because opening creates it.
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

/** The track of a user's command that may create a list. */
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

/** Prints which list was chosen if it was not named in full. */
function reportTarget(call: TrackCall, target: Target | Unresolved): TrackId {
  if ("problem" in target) throw unresolved(target, {});
  const { id } = target;
  switch (target.by) {
    case "name":
      break;
    case "prefix":
      printSelection(call, id);
      break;
    case "directory":
      printSelection(call, id, choiceOf(target.isOwn ? "your own" : "the newest", target));
      break;
    case "new":
      if (target.agents !== undefined)
        call.terminal.printError(
          `To add to the list of an agent, pass --session ${target.agents} (\`waymark ls --cwd\` lists all).`,
        );
      printSelection(call, id, " (new list for this directory)");
  }
  return id;
}
