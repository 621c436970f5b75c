import { spawn } from "node:child_process";
import type { BoardRow } from "../../core/views/board.ts";
import { agentLook } from "../../surfaces/text/agents.ts";
import { clipboardSequence, offersClipboard } from "./clipboard.ts";
import type { RunningBoard } from "./running-board.ts";

/** Asks the terminal to copy a text. Terminals do not report whether they did; false if this one has no clipboard. */
export function copy({ call, screen }: RunningBoard, text: string): boolean {
  const isOffered = offersClipboard(call.env);
  if (isOffered) screen.write(clipboardSequence(text));
  return isOffered;
}

/** Shows the terminal of an agent, or says how to resume its session. */
export async function jump(
  board: RunningBoard,
  row: BoardRow,
  pane?: string,
): Promise<string | undefined> {
  const { call, data, demo } = board;
  if (demo) return "The agents of the demo have no terminal.";
  const [{ jumpTo }, { copiedText }] = await Promise.all([
    import("../../servers/jump/jump.ts"),
    import("../../surfaces/terminal/jump/lines.ts"),
  ]);
  const machine = { home: call.home.path, env: call.env, tracks: data.tracks };
  const answer = await jumpTo(machine, row, pane);
  const text = copiedText(answer);
  const name = agentLook(row.track.agentType).name || "the agent";
  const asks =
    row.state === "needs_you" && row.waiting?.kind !== "plan" ? row.waiting?.text : undefined;
  const isCopied = text !== undefined && copy(board, text);
  board.state = { ...board.state, jump: { row: row.key, name, answer, asks, isCopied } };
  return undefined;
}

/** Resumes a session in the terminal of the board. */
export function resume(
  board: RunningBoard,
  [program = "", ...args]: readonly string[],
  cwd?: string,
): Promise<string | undefined> {
  return board.whileAway(
    () =>
      new Promise<string | undefined>((resolve) => {
        const child = spawn(program, args, { stdio: "inherit", ...(cwd !== undefined && { cwd }) });
        child.on("error", ({ message }) => resolve(`Cannot start ${program}: ${message}.`));
        child.on("close", () => resolve(undefined));
      }),
  );
}
