import { stallPolicyFromEnv } from "../../core/activity/stall.ts";
import type { SessionSummary } from "../../core/views/summary.ts";
import { homePath } from "../../home/path.ts";
import { readSummaries } from "../../sessions/listing/summaries.ts";
import { type Measure, statusLine, tmuxLine } from "../../surfaces/text/statusline.ts";
import { readEvent } from "../io/event-input.ts";
import { isTty, openTerminal, wantsUnicode } from "../io/terminal.ts";

export interface LineArguments {
  readonly width?: number;
  readonly tmux: boolean;
  readonly ascii: boolean;
  /** Show the cost that the agent passes. */
  readonly cost: boolean;
}

/** Parses the arguments; undefined if they are wrong, so that the program explains them. */
export function statusLineArguments(args: readonly string[]): LineArguments | undefined {
  let width: number | undefined;
  let tmux = false;
  let ascii = false;
  let cost = false;
  for (let index = 0; index < args.length; index++) {
    const word = args[index] ?? "";
    const given =
      /^--width=(.*)$/.exec(word)?.[1] ?? (word === "--width" ? args[++index] : undefined);
    if (word === "--tmux") tmux = true;
    else if (word === "--ascii") ascii = true;
    else if (word === "--cost") cost = true;
    else if (given !== undefined && /^[1-9]\d{0,3}$/.test(given)) width = Number(given);
    else return undefined;
  }
  return { tmux, ascii, cost, ...(width !== undefined && { width }) };
}

const MAX_INPUT = 1024 * 1024;
const TMUX_WIDTH = 30;
const WIDTH = 80;

/** Prints the status line. */
export async function drawStatusLine(
  { width, tmux, ascii, cost }: LineArguments,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const { platform } = process;
  const now = Date.now();
  const given = tmux ? {} : parseInput(await inputOf());
  const home = homePath(env, platform);
  const { summaries, visible, isBehind } = readSummaries(home, now, env);
  // An agent shows its own session, archived or not.
  const all = summaries.filter(
    (each) =>
      visible.includes(each) || (given.session !== undefined && each.session === given.session),
  );
  if (isBehind) ingestInBackground();
  const columns = Number(env.COLUMNS);
  const usual = tmux ? TMUX_WIDTH : Number.isInteger(columns) && columns > 0 ? columns : WIDTH;
  const draw = tmux ? tmuxLine : statusLine;
  const options = {
    now,
    width: width ?? usual,
    color: !env.NO_COLOR && env.TERM !== "dumb",
    unicode: !ascii && wantsUnicode(env),
    measure: await measureFor(all),
    session: given.session,
    ...(cost && given.cost !== undefined && { cost: given.cost }),
    stall: stallPolicyFromEnv(env),
  };
  openTerminal(env).print(draw(all, options));
}

async function inputOf(): Promise<string> {
  if (isTty(0)) return "";
  try {
    const read = await readEvent(MAX_INPUT);
    return read.ok ? read.text : "";
  } catch {
    // No session is given.
    return "";
  }
}

interface LineInput {
  readonly session?: string;
  /** In US dollars. */
  readonly cost?: number;
}

/** The session and its cost, as the agent passes them. */
function parseInput(input: string): LineInput {
  try {
    const { session_id: session, cost } = JSON.parse(input);
    const dollars = cost?.total_cost_usd;
    return {
      ...(typeof session === "string" && { session }),
      ...(Number.isFinite(dollars) && dollars >= 0 && { cost: dollars }),
    };
  } catch {
    // Not from an agent: the newest session is shown.
    return {};
  }
}

const ASCII = /^[\x20-\x7e]*$/;

const PLAIN: Measure = {
  cells: (text) => [...text].length,
  cut: (text, width, ellipsis) => {
    const characters = [...text];
    if (characters.length <= width) return text;
    const budget = width - [...ellipsis].length;
    return budget <= 0
      ? characters.slice(0, Math.max(0, width)).join("")
      : `${characters.slice(0, budget).join("").trimEnd()}${ellipsis}`;
  },
};

/** Our own characters are one cell wide; only texts of others may need the width table. */
async function measureFor(all: readonly SessionSummary[]): Promise<Measure> {
  const texts = all.flatMap(({ title, cwd, now, next, inside, loop, waiting }) => [
    title,
    cwd,
    now?.text,
    next,
    inside,
    loop?.label,
    waiting?.text,
  ]);
  return texts.every((text) => text === undefined || ASCII.test(text))
    ? PLAIN
    : import("../../surfaces/text/draw/width.ts");
}

/** Ingests pending events in another process, so that the line appears at once. */
function ingestInBackground(): void {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const [program = ""] = process.argv.slice(1);
  const child = spawn(process.execPath, [program, "ls", "--json"], {
    detached: true,
    stdio: "ignore",
  });
  child.on("error", () => {});
  child.unref();
}
