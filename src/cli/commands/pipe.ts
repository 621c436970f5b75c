import { appendFileSync, closeSync, openSync } from "node:fs";
import { EXAMPLE, IDENTITIES } from "../../agents/identities.ts";
import { DIALECTS, findDialect } from "../../agents/index.ts";
import { stallPolicyFromEnv } from "../../core/activity/stall.ts";
import { UsageError, WaymarkError } from "../../core/error.ts";
import { counted } from "../../core/text/count.ts";
import { LIFECYCLES, type Lifecycle } from "../../core/views/lifecycle.ts";
import { clearDelayOf } from "../../home/clear-delay.ts";
import { catchInterrupts } from "../../home/interrupts.ts";
import { type Display, openPipe, PIPE_FORMATS, type PipeEnd } from "../../servers/pipe/index.ts";
import { earlierState } from "../../sessions/transcripts/earlier-state.ts";
import { colorNamed } from "../../surfaces/text/draw/paint.ts";
import { oneOf } from "../args/arguments.ts";
import { type Call, defineCommand, type Options } from "../args/command.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { openStdin } from "../io/stdin-stream.ts";
import { isTty, wantsColor } from "../io/terminal.ts";
import { isGone, writeBytes, writeText } from "../io/write-bytes.ts";
import { readMembers } from "../options/members.ts";

const IDS = DIALECTS.map(({ id }) => id);
const STREAM = EXAMPLE.streamCommand ?? "AGENT";
const OTHER_STREAM =
  IDENTITIES.find(({ id, streamCommand }) => streamCommand && id !== EXAMPLE.id)?.streamCommand ??
  STREAM;

const options = {
  from: {
    type: "string",
    value: "ID",
    summary: "Whose stream it is; found out from its first lines when left out",
    words: IDS,
  },
  json: { type: "boolean", summary: "Print every event as one line of JSON" },
  format: {
    type: "string",
    value: "FORMAT",
    summary: `With --json: ${PIPE_FORMATS.join(" or ")} (default: waymark)`,
    words: PIPE_FORMATS,
  },
  tee: {
    type: "boolean",
    summary: "Pass the stream on untouched; the list goes to the standard error stream",
  },
  "all-agents": { type: "boolean", summary: "Show the list of each agent, not only the newest" },
  "turn-end": {
    type: "string",
    value: "RULE",
    summary: "At the end of a turn: keep the true statuses, or show all as completed",
    words: ["keep", "complete"],
  },
  style: { type: "string", value: "STYLE", summary: "waymark or plan", words: ["waymark", "plan"] },
  member: { type: "string", value: "NAME", summary: "With --style plan: whose plan it is" },
  color: { type: "string", value: "COLOR", summary: "With --member: cyan, redBright, #rrggbb, …" },
  members: {
    type: "string",
    value: "FILE",
    summary: 'Team map as JSON, {"AGENT_ID": {"name", "color"}}; implies --style plan',
    words: "files",
  },
  summary: {
    type: "string",
    value: "FILE",
    summary: "Append a markdown report at the end; - is the standard output",
    words: "files",
  },
  "fail-open": { type: "boolean", summary: "Exit with 1 when todos are left open at the end" },
} as const satisfies Options;

type PipeCall = Call<typeof options>;

export const pipe = defineCommand({
  usage: ["[--from ID] [--json | --tee] [--all-agents] [--summary FILE] [--fail-open]"],
  arguments: [],
  options,
  notes: [
    `Known streams: ${IDS.join(", ")}. What --json prints is read back as it is.`,
    "--format agent-chatter prints todo lists only, in the form of agent-chatter: UUID event ids, and its own agent types.",
    "On a terminal the list stays in place at the bottom and each change is logged above it; anywhere else each change is one line. Lines that cannot be read are skipped, named and counted.",
    "Exit code 1 says that nothing was recognised, or with --fail-open that todos were left open.",
  ],
  examples: [
    { command: `${STREAM} | waymark pipe`, says: "Watch the list of one run" },
    {
      command: `${STREAM} | waymark pipe --tee --summary "$GITHUB_STEP_SUMMARY"`,
      says: "In CI: a log line for each change, a report at the end",
    },
    {
      command: `${OTHER_STREAM} | waymark pipe --json`,
      says: "The same events from every agent",
    },
  ],
  run,
});

// How long an agent that got the same signal may take to say its last words.
const LAST_WORDS = 2_000;
const FRAME_TIME = 100;

async function run(call: PipeCall): Promise<Exit> {
  const { values, terminal } = call;
  const checked = check(call);
  const stdin = openStdin();
  let isClosed = false;

  const out = (bytes: Uint8Array): void => {
    if (isClosed) return;
    try {
      writeBytes(1, bytes);
    } catch (error) {
      if (!isGone(error)) throw error;
      isClosed = true;
      stdin.stop();
    }
  };
  const engine = openPipe({
    dialect: checked.dialect,
    now: Date.now,
    earlier: (dialect, session) => earlierState(call.env, dialect, session),
    lifecycle: checked.lifecycle,
    clearDelay: clearDelayOf(call.env),
    format: checked.format,
    members: checked.members,
    stall: stallPolicyFromEnv(call.env),
    ...(values.tee && { tee: out }),
    ...(values.json
      ? {
          json: (lines: string) => out(Buffer.from(lines)),
          warn: (line: string) => {
            if (!isClosed) terminal.say(`waymark: ${line}`);
          },
        }
      : { display: displayFor(call, checked, out) }),
  });

  const interrupts = catchInterrupts(
    () => setTimeout(stdin.stop, LAST_WORDS).unref(),
    () => stdin.stop(),
  );
  const timer = setInterval(() => engine.tick(), FRAME_TIME);
  try {
    await stdin.read((chunk) => engine.feed(chunk));
  } finally {
    clearInterval(timer);
  }
  const end = engine.end();
  stdin.stop();
  if (values.summary === "-") out(Buffer.from(`\n${end.report()}`));
  else if (values.summary !== undefined) append(values.summary, end.report());
  const exit = isClosed ? EXIT.fine : verdict(call, end);
  interrupts.release();
  return exit;
}

function check({ values }: PipeCall) {
  const { from, json, tee, summary, style, member, color } = values;
  if (json && tee)
    throw new UsageError("--json and --tee both want the standard output; give one.");
  if (summary === "") throw new UsageError("--summary has no file name.");
  if (summary === "-" && (json || tee))
    throw new UsageError("--summary - goes to the standard output, which --json and --tee need.");
  if (values.format !== undefined && !json)
    throw new UsageError("--format is the form of what --json prints; give both.");
  const format = oneOf("--format", values.format ?? "waymark", PIPE_FORMATS);
  const members = values.members === undefined ? undefined : readMembers(values.members);
  if (members && member !== undefined)
    throw new UsageError("--member names one agent, --members several; give one.");
  const wanted = style ?? (members ? "plan" : "waymark");
  const isPlan = oneOf("--style", wanted, ["waymark", "plan"]) === "plan";
  if ((member !== undefined || color !== undefined) && !isPlan)
    throw new UsageError("--member and --color go with --style plan.");
  if (color !== undefined && (member === undefined || colorNamed(color) === undefined))
    throw new UsageError(
      member === undefined
        ? "--color is the colour of --member; give both."
        : `"${color.slice(0, 40)}" is no colour. Give a name such as cyan or redBright, or #rrggbb.`,
    );
  const turnEnd = oneOf("--turn-end", values["turn-end"] ?? "keep", ["keep", "complete"]);
  const agents = values["all-agents"] ? "each" : "one";
  const lifecycle: Lifecycle = {
    ...(isPlan ? LIFECYCLES.seed002 : LIFECYCLES.waymark),
    turnEnd,
    agents,
  };
  const dialect = from === undefined ? undefined : findDialect(oneOf(`--from`, from, IDS));
  if (isTty(0)) throw new UsageError(`No stream comes in. Pipe one: ${STREAM} | waymark pipe`);
  // A report that cannot be written is better known before the agent's work than after it.
  if (summary !== undefined && summary !== "-") append(summary, "");
  return { dialect, lifecycle, format, members, isPlan };
}

/** Beside a stream that is passed on to the same terminal nothing can be drawn in place. */
function displayFor(
  { values, env, terminal }: PipeCall,
  { isPlan, members }: Pick<ReturnType<typeof check>, "isPlan" | "members">,
  out: (bytes: Uint8Array) => void,
): Display {
  const handle = values.tee ? 2 : 1;
  const stream = values.tee ? process.stderr : process.stdout;
  const tty = isTty(handle);
  const inPlace = tty && env.TERM !== "dumb" && !(values.tee && isTty(1));
  const { member, color } = values;
  const width = () => (tty && stream.columns) || Number(env.COLUMNS) || 80;
  const look = {
    color: wantsColor(env, tty),
    unicode: terminal.unicode,
    style: isPlan ? ("plan" as const) : ("waymark" as const),
    ...(members && { members }),
    ...(member !== undefined && {
      member: { name: member, ...(color !== undefined && { color }) },
    }),
  };
  return {
    write: values.tee ? sayBytes : (text) => out(Buffer.from(text)),
    ...(inPlace && { size: () => ({ columns: width(), rows: stream.rows || 24 }) }),
    text: () => ({ ...look, width: width() }),
  };
}

function sayBytes(text: string): void {
  try {
    writeText(2, text);
  } catch {
    // Nobody watches any more; the stream is passed on all the same.
  }
}

function append(path: string, text: string): void {
  try {
    if (text === "") closeSync(openSync(path, "a"));
    else appendFileSync(path, text);
  } catch (cause) {
    const { message } = cause as Error;
    throw new WaymarkError(
      "unwritable",
      `The report cannot be written to ${path}: ${message}. Name another file with --summary.`,
      { cause },
    );
  }
}

function verdict({ values, terminal }: PipeCall, end: PipeEnd): Exit {
  if (!end.recognised) {
    terminal.say(`waymark: ${unrecognised(end)}`);
    return EXIT.no;
  }
  if (end.skipped > 0 && values.json)
    terminal.say(
      `waymark: ${counted(end.skipped, "line or entry", "lines or entries")} could not be read`,
    );
  if (!values["fail-open"] || end.open === 0) return EXIT.fine;
  terminal.say(`waymark: ${end.open} todo${end.open === 1 ? " is" : "s are"} left open`);
  return EXIT.no;
}

function unrecognised({ bytes, dialect }: PipeEnd): string {
  if (bytes === 0) return "Nothing came in. Pipe the output of an agent: see waymark help pipe";
  if (dialect !== undefined)
    return `Nothing of the stream could be read as that of ${dialect}. Name another with --from: ${IDS.join(", ")}`;
  return `Nobody's stream that is known. If it is one of these, name it with --from: ${IDS.join(", ")}`;
}
