import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UsageError } from "../../core/error.ts";
import { ownDirectory, withDemoMachine } from "../../demo/home.ts";
import { onInterruptedExit } from "../../home/interrupts.ts";
import { createToken, loadOrCreateToken } from "../../home/server.ts";
import { machineOf } from "../../sessions/transcripts/machine.ts";
import { type Call, defineCommand, type Options } from "../args/command.ts";
import { NO_MOUSE_OPTION } from "../board/mouse.ts";
import type { BoardDemo } from "../board/running-board.ts";
import { canShowBoard } from "../can-show-board.ts";
import type { Exit } from "../io/exit.ts";

const options = {
  speed: {
    type: "string",
    value: "N",
    summary: "Playback speed, 0.1 to 100",
    default: "1",
  },
  plain: { type: "boolean", summary: "Print one line per change instead of opening the board" },
  page: {
    type: "boolean",
    summary: "Also serve the board in the browser; without a terminal, until Ctrl+C",
  },
  "no-mouse": NO_MOUSE_OPTION,
} as const satisfies Options;

export const demo = defineCommand({
  arguments: [],
  options,
  notes: [
    "The recording takes about a minute: four agents with subagents, a plan that waits for your approval, a stall, a loop, and passing tests. It is written to a temporary directory in the agents' own file formats and read from there like real sessions. Your own sessions are not touched.",
  ],
  examples: [
    {
      command: "waymark demo --speed 60 --plain",
      comment: "Print the recording, one line per change",
    },
    { command: "waymark demo --speed 100", comment: "Play it on the board, as fast as possible" },
  ],
  run: runDemo,
});

export async function runDemo(call: Call<typeof options>): Promise<Exit> {
  const speed = speedOf(call.values.speed);
  const root = mkdtempSync(join(tmpdir(), "waymark-demo-"));
  const remove = (): void => rmSync(root, { recursive: true, force: true });
  onInterruptedExit(remove);
  try {
    for (;;) {
      const { exit, replay } = await playOnce(call, speed, root);
      if (!replay) return exit;
      // Keeps the token, so that an open page reconnects to the next server.
      const token = loadOrCreateToken(ownDirectory(root));
      for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true });
      createToken(ownDirectory(root), token);
    }
  } finally {
    remove();
  }
}

/** Plays the recording once in an empty home directory. Returns whether the user wants it again. */
async function playOnce(
  call: Call<typeof options>,
  speed: number,
  root: string,
): Promise<{ readonly exit: Exit; readonly replay: boolean }> {
  // The end card names the agents of the real machine.
  const machine = machineOf(call.env, undefined);
  const agents = async (signal: AbortSignal) => {
    const { findAgents: agentsFound } = await import("../../doctor/find-agents.ts");
    return agentsFound({ machine, env: call.env, home: call.home.path, signal });
  };
  let replay = false;
  const onReplay = () => {
    replay = true;
  };
  const exit = await withDemoMachine(
    call.env,
    root,
    call.terminal.printError,
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
  { plain, page, "no-mouse": noMouse }: Call<typeof options>["values"],
  demo: BoardDemo,
): Promise<Exit> {
  const { playing } = demo;
  if (!plain && canShowBoard(call)) {
    const { runBoard } = await import("../board/run.ts");
    if (!page) return runBoard(call, { demo, noMouse });
    const { openPageFirst } = await import("../board/page.ts");
    return runBoard(call, { demo, noMouse, open: await openPageFirst(call, demo) });
  }
  const { watchUntil } = await import("./watch.ts");
  const watched = { ...call, values: {}, args: [] };
  if (!page) return watchUntil(watched, { over: playing.finished, plain: true });
  const { openPageAndPrint: openPageAndSay } = await import("../board/page.ts");
  const { close } = await openPageAndSay(call, demo);
  // The page stays after the recording; only a playback failure ends it.
  const failed = playing.finished.then(() => {
    if (playing.isOver())
      call.terminal.printError("The demo is over. The page stays open until you press Ctrl+C.");
    return new Promise<never>(() => undefined);
  });
  return watchUntil(watched, { over: failed, plain: true, closing: close });
}

function speedOf(given: string | undefined): number {
  if (given === undefined) return 1;
  const speed = Number(given);
  if (!(speed >= 0.1 && speed <= 100))
    throw new UsageError(`Invalid --speed "${given.slice(0, 40)}". Use a number from 0.1 to 100.`);
  return speed;
}
