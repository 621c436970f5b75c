import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UsageError } from "../../core/error.ts";
import { onDemoMachine, ownDirectory } from "../../demo/home.ts";
import { beforeInterrupted } from "../../home/interrupts.ts";
import { keptToken, putToken } from "../../home/server.ts";
import { machineOf } from "../../sessions/transcripts/agents.ts";
import { type Call, defineCommand, type Options } from "../args/command.ts";
import type { BoardDemo } from "../board/run.ts";
import type { Exit } from "../io/exit.ts";
import { showsBoards } from "../shows-boards.ts";

const options = {
  speed: {
    type: "string",
    value: "N",
    summary: "Playback speed, 0.1 to 100 (default: 1)",
  },
  plain: { type: "boolean", summary: "One line per change, also on a terminal" },
  page: {
    type: "boolean",
    summary: "Also serve the page for a browser; without a terminal, until Ctrl+C",
  },
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
  try {
    for (;;) {
      const { exit, replay } = await playOnce(call, speed, root);
      if (!replay) return exit;
      // An open page goes on: the server comes back with the token that let it in.
      const token = keptToken(ownDirectory(root));
      for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true });
      putToken(ownDirectory(root), token);
    }
  } finally {
    remove();
  }
}

/** Plays the recording once, on an empty home of its own; says whether the person wants it again. */
async function playOnce(
  call: Call<typeof options>,
  speed: number,
  root: string,
): Promise<{ readonly exit: Exit; readonly replay: boolean }> {
  // The agents of the real machine, for the end card.
  const machine = machineOf(call.env, undefined);
  const agents = async (signal: AbortSignal) => {
    const { agentsFound } = await import("../../doctor/agents-found.ts");
    return agentsFound({ machine, env: call.env, home: call.home.path, signal });
  };
  let replay = false;
  const onReplay = () => {
    replay = true;
  };
  const exit = await onDemoMachine(
    call.env,
    root,
    call.terminal.say,
    async ({ userHome, env, home }) => {
      const { playDemo } = await import("../../demo/play.ts");
      const playing = playDemo({ home: userHome, tracker: await home.writing() }, speed);
      const inner = { ...call, home, env, values: {} };
      try {
        return await show(inner, call.values, { playing, agents, onReplay });
      } finally {
        playing.stop();
        await playing.finished;
      }
    },
  );
  return { exit, replay };
}

async function show(
  call: Call,
  { plain, page }: Call<typeof options>["values"],
  demo: BoardDemo,
): Promise<Exit> {
  const { playing } = demo;
  if (!plain && showsBoards(call)) {
    const { runBoard } = await import("../board/run.ts");
    if (!page) return runBoard(call, { demo });
    const { openPageFirst } = await import("../board/page.ts");
    return runBoard(call, { demo, open: await openPageFirst(call, demo) });
  }
  const { watchUntil } = await import("./watch.ts");
  const watched = { ...call, values: {}, args: [] };
  if (!page) return watchUntil(watched, { over: playing.finished, plain: true });
  const { openPageAndSay } = await import("../board/page.ts");
  const { close } = await openPageAndSay(call, demo);
  // The page outlives the recording; only a failure of the playback ends it.
  const failed = playing.finished.then(() => {
    if (playing.isOver()) call.terminal.say("The demo is over. The page stays until Ctrl+C.");
    return new Promise<never>(() => undefined);
  });
  return watchUntil(watched, { over: failed, plain: true, closing: close });
}

function speedOf(given: string | undefined): number {
  if (given === undefined) return 1;
  const speed = Number(given);
  if (!(speed >= 0.1 && speed <= 100))
    throw new UsageError(`--speed is "${given.slice(0, 40)}"; a number from 0.1 to 100 is needed.`);
  return speed;
}
