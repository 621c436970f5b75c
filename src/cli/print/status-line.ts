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
}

/** Nothing where the arguments need explaining. */
export function statusLineArguments(args: readonly string[]): LineArguments | undefined {
  let width: number | undefined;
  let tmux = false;
  let ascii = false;
  for (let place = 0; place < args.length; place++) {
    const word = args[place] ?? "";
    const given =
      /^--width=(.*)$/.exec(word)?.[1] ?? (word === "--width" ? args[++place] : undefined);
    if (word === "--tmux") tmux = true;
    else if (word === "--ascii") ascii = true;
    else if (given !== undefined && /^[1-9]\d{0,3}$/.test(given)) width = Number(given);
    else return undefined;
  }
  return { tmux, ascii, ...(width !== undefined && { width }) };
}

const MAX_INPUT = 1024 * 1024;
const TMUX_WIDTH = 30;
const WIDTH = 80;

/** One line, whatever is there to tell. */
export async function drawStatusLine({ width, tmux, ascii }: LineArguments): Promise<void> {
  const { env, platform } = process;
  const now = Date.now();
  const session = tmux ? undefined : sessionOf(await inputOf());
  const home = homePath(env, platform);
  const { summaries: all, isBehind } = readSummaries(home, now);
  if (isBehind) foldBeside();
  const columns = Number(env.COLUMNS);
  const usual = tmux ? TMUX_WIDTH : Number.isInteger(columns) && columns > 0 ? columns : WIDTH;
  const draw = tmux ? tmuxLine : statusLine;
  const options = {
    now,
    width: width ?? usual,
    color: !env.NO_COLOR && env.TERM !== "dumb",
    unicode: !ascii && wantsUnicode(env),
    measure: await measureFor(all),
    session,
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
    // Nobody said which session.
    return "";
  }
}

function sessionOf(input: string): string | undefined {
  try {
    const { session_id: session } = JSON.parse(input);
    return typeof session === "string" ? session : undefined;
  } catch {
    // Not from an agent: then the newest is shown.
    return undefined;
  }
}

const ASCII = /^[\x20-\x7e]*$/;

const PLAIN: Measure = {
  cells: (text) => [...text].length,
  cut: (text, width, ellipsis) => {
    const signs = [...text];
    if (signs.length <= width) return text;
    const room = width - [...ellipsis].length;
    return room <= 0
      ? signs.slice(0, Math.max(0, width)).join("")
      : `${signs.slice(0, room).join("").trimEnd()}${ellipsis}`;
  },
};

/** Our own signs take one cell each; only foreign text may need the table of widths. */
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

/** Ingests waiting events in another process, so that the line appears at once. */
function foldBeside(): void {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const [program = ""] = process.argv.slice(1);
  const child = spawn(process.execPath, [program, "ls", "--json"], {
    detached: true,
    stdio: "ignore",
  });
  child.on("error", () => {});
  child.unref();
}
