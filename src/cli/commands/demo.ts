import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Call, defineCommand, type Options } from "../command.ts";
import { type Exit, UsageError } from "../exit.ts";
import { beforeInterrupted } from "../interrupts.ts";
import { openHome } from "../open.ts";
import { showsBoards } from "../shows-boards.ts";

const options = {
  speed: {
    type: "string",
    value: "N",
    summary: "So many times as fast, 0.1 to 100; 1 unless told",
  },
  plain: { type: "boolean", summary: "One line per change, also on a terminal" },
  page: { type: "boolean", summary: "Also serve the page for a browser, and say where" },
} as const satisfies Options;

export const demo = defineCommand({
  arguments: [],
  options,
  notes: [
    "A recorded team of agents works for about a minute: three programs with their subagents, a plan that waits for you, a stall, a loop, and checks that pass. Everything is written into a temporary directory, in the files that those programs write, and read from there like real work.",
  ],
  examples: [
    { command: "waymark demo --speed 60 --plain", says: "The recording, one line per change" },
    { command: "waymark demo --speed 100", says: "On the board, where there is a terminal" },
  ],
  run: runDemo,
});

export async function runDemo(call: Call<typeof options>): Promise<Exit> {
  const speed = speedOf(call.values.speed);
  const root = mkdtempSync(join(tmpdir(), "waymark-demo-"));
  const remove = (): void => rmSync(root, { recursive: true, force: true });
  beforeInterrupted(remove);
  const userHome = join(root, "home");
  mkdirSync(userHome);
  const before = process.env.HOME;
  const profile = process.env.USERPROFILE;
  // Agents are looked for in the home directory of whoever runs the program.
  process.env.HOME = userHome;
  process.env.USERPROFILE = userHome;
  const { TERM, PATH } = call.env;
  const env = {
    ...(TERM !== undefined && { TERM }),
    ...(PATH !== undefined && { PATH }),
    WAYMARK_HOME: join(root, "waymark"),
  };
  const home = openHome(env, call.terminal.say);
  try {
    const { playDemo } = await import("../../demo/play.ts");
    const playing = playDemo({ home: userHome, tracker: await home.writing() }, speed);
    const inner = { ...call, home, env, values: {} };
    try {
      return await show(inner, call.values, playing.finished);
    } finally {
      playing.stop();
      await playing.finished;
    }
  } finally {
    await home.close();
    restore("HOME", before);
    restore("USERPROFILE", profile);
    remove();
  }
}

async function show(
  call: Call,
  { plain, page }: Call<typeof options>["values"],
  over: Promise<void>,
): Promise<Exit> {
  if (!plain && showsBoards(call)) {
    const { runBoard } = await import("../board/run.ts");
    if (!page) return runBoard(call);
    const { openPageFirst } = await import("../board/page.ts");
    return runBoard(call, { open: await openPageFirst(call) });
  }
  const { watchUntil } = await import("./watch.ts");
  const watched = { ...call, values: {}, args: [] };
  if (!page) return watchUntil(watched, { over, plain: true });
  const { openPageAndSay } = await import("../board/page.ts");
  const { close } = await openPageAndSay(call);
  return watchUntil(watched, { over, plain: true, closing: close });
}

function restore(name: "HOME" | "USERPROFILE", value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}

function speedOf(given: string | undefined): number {
  if (given === undefined) return 1;
  const speed = Number(given);
  if (!(speed >= 0.1 && speed <= 100))
    throw new UsageError(`--speed is "${given.slice(0, 40)}"; a number from 0.1 to 100 is needed.`);
  return speed;
}
