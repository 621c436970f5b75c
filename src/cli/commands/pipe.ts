import { appendFileSync, closeSync, openSync } from "node:fs";
import { EXAMPLE, IDENTITIES } from "../../agents/identities.ts";
import { DECODERS, findDecoder } from "../../agents/index.ts";
import { stallPolicyFromEnv } from "../../core/activity/stall.ts";
import { UsageError, WaymarkError } from "../../core/error.ts";
import { counted } from "../../core/text/count.ts";
import { LIFECYCLES, type Lifecycle } from "../../core/views/lifecycle.ts";
import { clearDelayOf } from "../../home/clear-delay.ts";
import { catchInterrupts } from "../../home/interrupts.ts";
import { type Display, openPipe, PIPE_FORMATS, type PipeEnd } from "../../servers/pipe/index.ts";
import { earlierState } from "../../sessions/transcripts/earlier-state.ts";
import { colorNamed } from "../../surfaces/text/draw/paint.ts";
import { parseChoice } from "../args/arguments.ts";
import { type Call, defineCommand, type Options } from "../args/command.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { openStdin } from "../io/stdin-stream.ts";
import { isTty, wantsColor } from "../io/terminal.ts";
import { isDisconnected, writeBytes, writeText } from "../io/write-bytes.ts";
import { readMembers } from "../options/members.ts";

const IDS = DECODERS.map(({ id }) => id);
const STREAM = EXAMPLE.streamCommand ?? "AGENT";
const OTHER_STREAM =
  IDENTITIES.find(({ id, streamCommand }) => streamCommand && id !== EXAMPLE.id)?.streamCommand ??
  STREAM;

const options = {
  from: {
    type: "string",
    value: "ID",
    summary: "Format of the stream",
    default: "detected from its first lines",
    completions: IDS,
    perCall: true,
  },
  json: { type: "boolean", summary: "Print events as JSON lines", perCall: true },
  format: {
    type: "string",
    value: "FORMAT",
    summary: `Format of --json: ${PIPE_FORMATS.join(" or ")}`,
    default: "waymark",
    completions: PIPE_FORMATS,
  },
  tee: {
    type: "boolean",
    summary: "Copy the stream to standard output unchanged; print the list to stderr",
  },
  "all-agents": { type: "boolean", summary: "Show the list of every agent, not only the newest" },
  "turn-end": {
    type: "string",
    value: "RULE",
    summary: "At the end of a turn: keep the statuses, or show all as completed (complete)",
    default: "keep",
    completions: ["keep", "complete"],
  },
  style: {
    type: "string",
    value: "STYLE",
    summary: "Style of the list: waymark or plan",
    default: "waymark",
    completions: ["waymark", "plan"],
  },
  member: {
    type: "string",
    value: "NAME",
    summary: "Name of the agent, with --style plan",
    perCall: true,
  },
  color: {
    type: "string",
    value: "COLOR",
    summary: "Color of --member, e.g. cyan, redBright or #rrggbb",
  },
  members: {
    type: "string",
    value: "FILE",
    summary: 'Team map as JSON, {"AGENT_ID": {"name", "color"}}; implies --style plan',
    completions: "files",
    perCall: true,
  },
  summary: {
    type: "string",
    value: "FILE",
    summary: "Append a Markdown report at the end; - for standard output",
    completions: "files",
    perCall: true,
  },
  "fail-open": { type: "boolean", summary: "Exit with 1 if todos are open at the end" },
  verify: {
    type: "string",
    value: "[CHECK]",
    summary: "At the end, run a check for the completed todos; exit with 1 if it does not pass",
    implied: "",
  },
  check: {
    type: "string",
    value: "COMMAND",
    summary: "Approve this command as the check, and run it at the end; implies --verify",
  },
} as const satisfies Options;

type PipeCall = Call<typeof options>;

export const pipe = defineCommand({
  arguments: [],
  options,
  notes: [
    `Formats: ${IDS.join(", ")}. waymark is the output of --json.`,
    "--format agent-chatter prints todo lists only, with UUID event ids and agent-chatter's agent types.",
    "--verify runs an approved check of this directory's repository on a clean checkout, as `waymark verify` does (default: the only check, or test), and records the proofs. In CI, approve it in a step before, with `waymark check add` or `waymark check trust`, or pass the command with --check. --verify is about completed todos and --fail-open about open ones; use both to require everything.",
    "On a terminal, the list stays at the bottom and changes are logged above it; otherwise each change is one line. Lines that cannot be read are skipped and counted.",
  ],
  exitCodes: {
    0: "The stream was read",
    1: "Its format is unknown, todos are open (with --fail-open), or completed todos are not proven (with --verify)",
  },
  examples: [
    { command: `${STREAM} | waymark pipe`, comment: "Watch the todo list of one run" },
    {
      command: `${STREAM} | waymark pipe --tee --summary "$GITHUB_STEP_SUMMARY"`,
      comment: "In CI: log each change, and append a report to the job summary",
    },
    {
      command: `${STREAM} | waymark pipe --check "npm test" --fail-open`,
      comment: "In CI: fail unless everything is completed and the tests pass afterwards",
    },
    {
      command: `${OTHER_STREAM} | waymark pipe --json`,
      comment: "Convert the stream to events, the same for every agent",
    },
  ],
  seeAlso: ["watch"],
  run,
});

// Milliseconds that an agent, which got the same signal, may take to write its last lines.
const GRACE = 2_000;
const FRAME_TIME = 100;

async function run(call: PipeCall): Promise<Exit> {
  const { values, terminal } = call;
  const checked = check(call);
  const wantsCheck = values.verify !== undefined || values.check !== undefined;
  // Fails before the run if the check is unknown or not trusted.
  const proving = wantsCheck ? await import("../verify/at-end.ts") : undefined;
  const toRun = await proving?.checkToRun(call, values);
  const stopped = new AbortController();
  const stdin = openStdin();
  let isClosed = false;

  const out = (bytes: Uint8Array): void => {
    if (isClosed) return;
    try {
      writeBytes(1, bytes);
    } catch (error) {
      if (!isDisconnected(error)) throw error;
      isClosed = true;
      stdin.stop();
    }
  };
  const engine = openPipe({
    decoder: checked.decoder,
    now: Date.now,
    earlier: (decoder, session) => earlierState(call.env, decoder, session),
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
            if (!isClosed) terminal.printError(`waymark: ${line}`);
          },
        }
      : { display: displayFor(call, checked, out) }),
  });

  const interrupts = catchInterrupts(
    () => {
      stopped.abort();
      setTimeout(stdin.stop, GRACE).unref();
    },
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
  const verified =
    proving && toRun !== undefined && end.recognized
      ? await proving.verifyCompleted(call, toRun, end.lives, stopped.signal)
      : undefined;
  const report = () => end.report(verified, verified?.proofs);
  if (values.summary === "-") out(Buffer.from(`\n${report()}`));
  else if (values.summary !== undefined) append(values.summary, report());
  const ended = isClosed ? EXIT.success : exitOf(call, end);
  const exit = verified?.ok === false ? EXIT.failure : ended;
  interrupts.release();
  return exit;
}

function check({ values }: PipeCall) {
  const { from, json, tee, summary, style, member, color } = values;
  if (json && tee)
    throw new UsageError("--json and --tee both write to standard output. Use one of them.");
  if (summary === "") throw new UsageError("Missing a file name after --summary.");
  if (summary === "-" && (json || tee))
    throw new UsageError(
      "--summary - cannot be combined with --json or --tee, which also write to standard output.",
    );
  if (values.format !== undefined && !json) throw new UsageError("--format needs --json.");
  const format = parseChoice("--format", values.format ?? "waymark", PIPE_FORMATS);
  const members = values.members === undefined ? undefined : readMembers(values.members);
  if (members && member !== undefined)
    throw new UsageError("--member and --members cannot be combined.");
  const wanted = style ?? (members ? "plan" : "waymark");
  const isPlan = parseChoice("--style", wanted, ["waymark", "plan"]) === "plan";
  if ((member !== undefined || color !== undefined) && !isPlan)
    throw new UsageError("--member and --color need --style plan.");
  if (color !== undefined && (member === undefined || colorNamed(color) === undefined))
    throw new UsageError(
      member === undefined
        ? "--color needs --member."
        : `Invalid --color "${color.slice(0, 40)}". Use a name such as cyan or redBright, or #rrggbb.`,
    );
  const turnEnd = parseChoice("--turn-end", values["turn-end"] ?? "keep", ["keep", "complete"]);
  const agents = values["all-agents"] ? "each" : "one";
  const lifecycle: Lifecycle = {
    ...(isPlan ? LIFECYCLES.perTurn : LIFECYCLES.waymark),
    turnEnd,
    agents,
  };
  const decoder = from === undefined ? undefined : findDecoder(parseChoice(`--from`, from, IDS));
  if (isTty(0)) throw new UsageError(`Nothing is piped in. Try: ${STREAM} | waymark pipe`);
  // Fails before the run if the report cannot be written.
  if (summary !== undefined && summary !== "-") append(summary, "");
  return { decoder, lifecycle, format, members, isPlan };
}

/** Draws in place on a terminal, except when --tee copies the stream to the same one. */
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
    write: values.tee ? writeError : (text) => out(Buffer.from(text)),
    ...(inPlace && { size: () => ({ columns: width(), rows: stream.rows || 24 }) }),
    text: () => ({ ...look, width: width() }),
  };
}

function writeError(text: string): void {
  try {
    writeText(2, text);
  } catch {
    // stderr is closed; the stream is still copied.
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
      `Cannot write the report to ${path}: ${message}. Name another file with --summary.`,
      { cause },
    );
  }
}

function exitOf({ values, terminal }: PipeCall, end: PipeEnd): Exit {
  if (!end.recognized) {
    terminal.printError(`waymark: ${unrecognizedText(end)}`);
    return EXIT.failure;
  }
  if (end.skipped > 0 && values.json)
    terminal.printError(
      `waymark: Skipped ${counted(end.skipped, "line or entry", "lines or entries")} that could not be read.`,
    );
  if (!values["fail-open"] || end.open === 0) return EXIT.success;
  terminal.printError(`waymark: ${counted(end.open, "todo is", "todos are")} still open.`);
  return EXIT.failure;
}

function unrecognizedText({ bytes, decoder }: PipeEnd): string {
  if (bytes === 0)
    return "The input is empty. Pipe the output of an agent into this command; see `waymark pipe --help`.";
  if (decoder !== undefined)
    return `The input is not a stream of ${decoder}. Use another --from: ${IDS.join(", ")}.`;
  return `Unknown stream format. If it is one of these, pass --from: ${IDS.join(", ")}.`;
}
