import { IDENTITIES, identityOf } from "../../agents/identities.ts";
import { CommandError, UsageError } from "../../core/error.ts";
import { type Handoff, handoffOf } from "../../core/handoff/handoff.ts";
import { handoffText } from "../../core/handoff/text.ts";
import { counted } from "../../core/text/count.ts";
import { terminalLine } from "../../core/text/escape.ts";
import { MAIN_AGENT } from "../../core/text/ids.ts";
import { isOpen } from "../../core/views/view.ts";
import { currentDirectory } from "../../home/current-directory.ts";
import { OFFERED_FOR, offerHandoff, takeOffer } from "../../home/handoff/offers.ts";
import { readChangedFiles } from "../../servers/files/read-changed-files.ts";
import { acceptHandoff } from "../../servers/hooks/handoff.ts";
import { sessionOfCaller } from "../../sessions/caller/session.ts";
import { parseChoice } from "../args/arguments.ts";
import { type Call, defineCommand, JSON_OPTION } from "../args/command.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { READ_OPTIONS, trackToRead } from "../options/track-selection.ts";
import { todoForm } from "../print/list-form.ts";

const AGENTS = IDENTITIES.flatMap(({ shortName, command }) =>
  shortName !== undefined && command !== undefined ? [shortName] : [],
);

const OPTIONS = {
  ...READ_OPTIONS,
  to: {
    type: "string",
    value: "AGENT",
    summary: `Offer the list to the next session of this agent: ${AGENTS.join(", ")}`,
    completions: AGENTS,
    perCall: true,
  },
  accept: {
    type: "boolean",
    summary: "Continue the list that is offered in this directory, in the session of the caller",
    perCall: true,
  },
  json: JSON_OPTION,
} as const;

export const handoff = defineCommand({
  arguments: [
    {
      name: "SESSION",
      summary: "Session, as `waymark ls` prints it",
      optional: true,
      default: "the newest in this directory",
      completions: "sessions",
    },
  ],
  options: OPTIONS,
  notes: [
    "Prints a prompt for the next agent: open todos with their ids and notes, finished ones, the last failing check, changed files and decisions of the user.",
    "With --to, the list waits for one hour for the next session of that agent in the directory of SESSION. Its hook at the start accepts it: the session has the same todos with the same ids, and the history of both names the other.",
    "--accept does the same from inside a session, or for --session ID. A session that has todos of its own is not changed.",
  ],
  examples: [
    { command: "waymark handoff demo", comment: "Print the prompt for the next agent" },
    { command: "waymark handoff demo --json", comment: "Print it as JSON" },
  ],
  seeAlso: ["show", "setup"],
  async run(call) {
    return call.values.accept ? accept(call) : offer(call);
  },
});

type HandoffCall = Call<typeof OPTIONS>;

async function offer(call: HandoffCall): Promise<Exit> {
  const { terminal, values, home } = call;
  const [given] = call.args;
  if (given !== undefined && values.session !== undefined && given !== values.session)
    throw new UsageError("SESSION and --session differ. Use one of them.");
  const named = given === undefined ? values : { ...values, session: given };
  const to = values.to === undefined ? undefined : parseChoice("--to", values.to, AGENTS);
  const { found, list } = await trackToRead({ ...call, values: named });
  if (!found)
    throw new CommandError(
      `No session matches "${list.id.session}". \`waymark ls --all\` lists them.`,
    );
  const track = await list.read();
  const { files } = await readChangedFiles(found, list, false);
  const handed = handoffOf({
    track: { ...track, ...(found.activity && { activity: found.activity }) },
    events: await list.events(),
    files: files.map(({ path }) => path),
    name: identityOf(track.agentType)?.name,
  });
  const next = to === undefined ? undefined : IDENTITIES.find(({ shortName }) => shortName === to);
  if (next) {
    const { cwd } = handed;
    if (cwd === undefined)
      throw new CommandError(
        "The directory of the session is not known. Print the prompt without --to.",
      );
    const expiresAt = Date.now() + OFFERED_FOR;
    offerHandoff(home.path, { to: next.id, cwd, expiresAt, handoff: handed });
  }
  if (values.json) terminal.printJson(handoffForm(handed));
  else if (next) terminal.print(summaryOf(handed, next.name, next.command ?? ""));
  else terminal.print(handoffText(handed, false));
  return EXIT.success;
}

async function accept(call: HandoffCall): Promise<Exit> {
  const { terminal, values, home, env } = call;
  if (call.args.length > 0 || values.to !== undefined)
    throw new UsageError(
      "--accept takes no SESSION and no --to: it continues what is offered here.",
    );
  const caller = sessionOfCaller({ env, pid: process.ppid, home: home.path });
  const session = values.session ?? caller?.session;
  if (session === undefined)
    throw new CommandError("This is not the session of an agent. Name it with --session ID.");
  const id = { session, agent: values.agent ?? MAIN_AGENT };
  const tracker = await home.writing();
  const cwd = currentDirectory();
  if (cwd === undefined) throw new CommandError("The current directory no longer exists.");
  const ofCaller = caller?.session === session ? caller.agentType : undefined;
  const { todos, agentType = ofCaller } = await tracker.list(id).read();
  if (todos.length > 0)
    throw new CommandError("This session has todos of its own. Nothing was changed.");
  const handed = takeOffer(home.path, { agentType, cwd, session }, Date.now());
  if (!handed)
    throw new CommandError(
      "No list is offered in this directory. Offer one with `waymark handoff SESSION --to AGENT`.",
    );
  const origin = { cwd, ...(agentType !== undefined && { agentType }) };
  const { text } = await acceptHandoff(tracker, { id, origin }, handed);
  if (values.json) terminal.printJson(handoffForm(handed));
  else terminal.print(text);
  return EXIT.success;
}

function summaryOf(
  { from, title, todos, files, failing, cwd = "" }: Handoff,
  to: string,
  command: string,
): string {
  const done = todos.filter(({ status }) => status === "completed");
  const open = todos.filter(isOpen);
  const facts = [
    counted(files.length, "changed file"),
    failing ? "1 failing check" : "no failing check",
  ];
  const ids = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id).join(", ");
  return [
    `Handing over ${terminalLine(title ?? from.session)} from ${from.name ?? "its agent"} to ${to}`,
    "",
    `  ${done.length} done  ${ids(done)}`.trimEnd(),
    `  ${open.length} open  ${ids(open)}`.trimEnd(),
    `  ${facts.join(", ")}`,
    "",
    `Start ${to} there within 1 hour; it continues this list, with the same ids:`,
    "",
    `  cd ${terminalLine(cwd)} && ${command}`,
    "",
    "This needs Waymark's hooks in the agent. Without them, print the prompt: waymark handoff SESSION",
  ].join("\n");
}

/** JSON form of a handoff. */
function handoffForm({ todos, stoppedAt, nextId: _, list: __, ...rest }: Handoff) {
  return {
    ...rest,
    stoppedAt: new Date(stoppedAt).toISOString(),
    todos: todos.map((todo) => todoForm(todo)),
  };
}
