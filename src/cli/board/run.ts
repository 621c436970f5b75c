import { findAgents } from "../../doctor/find-agents.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";
import { readMore } from "../../home/board-settings.ts";
import { clearDelayOf } from "../../home/clear-delay.ts";
import { catchInterrupts } from "../../home/interrupts.ts";
import { readPrices } from "../../home/prices.ts";
import { type BoardSource, openMachine } from "../../servers/board/source.ts";
import { openBoardTasks } from "../../servers/board/tasks.ts";
import { watchParents } from "../../servers/mcp/parents.ts";
import { followNotifications } from "../../servers/notify/follow.ts";
import { followStalls } from "../../servers/stalls/follow.ts";
import type { AnyTrack } from "../../sessions/any-track.ts";
import { machineOf } from "../../sessions/transcripts/machine.ts";
import { shellCommand } from "../../setup/shell-command.ts";
import { ensureSelection, openBoardData } from "../../surfaces/terminal/board-data.ts";
import { handleKey } from "../../surfaces/terminal/keys/handle-key.ts";
import type { Key } from "../../surfaces/terminal/keys/key-parser.ts";
import { withUndo } from "../../surfaces/terminal/keys/undo.ts";
import { msUntilChange } from "../../surfaces/terminal/next-change.ts";
import { screenLines } from "../../surfaces/terminal/screen.ts";
import { type BoardData, newState } from "../../surfaces/terminal/state.ts";
import { summaryLines } from "../../surfaces/terminal/summary.ts";
import { pageOf } from "../../surfaces/text/draw/page.ts";
import type { Background } from "../../surfaces/text/draw/paint.ts";
import { print } from "../../surfaces/text/draw/spans.ts";
import type { Call } from "../args/command.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { openStalls } from "../options/notifications.ts";
import { openVerifyDone } from "../verify/when-done.ts";
import { openBoardActions } from "./actions.ts";
import { newFrameLimiter } from "./frame-limiter.ts";
import { type FrameWriter, newFrameWriter } from "./frame-writer.ts";
import { usesMouse } from "./mouse.ts";
import { noteClosed, reportAway } from "./reports.ts";
import type { BoardDemo, RunningBoard } from "./running-board.ts";
import { openBoardTerminal } from "./terminal-mode.ts";

/** Milliseconds before retrying to draw on a terminal that is behind. */
const BEHIND = 50;

export interface BoardOptions {
  /** Opens the source of the sessions (default: this machine). */
  readonly open?: (call: Call) => Promise<BoardSource>;
  /** Value of --no-mouse. */
  readonly noMouse?: boolean | undefined;
  /** Value of --notify. */
  readonly notify?: string | undefined;
  /** Value of --verify. */
  readonly verify?: string | undefined;
  /** Called at the end if the user chose the demo. */
  readonly onDemo?: () => void;
  readonly demo?: BoardDemo | undefined;
}

/** Runs the board until the user quits. */
export async function runBoard(
  call: Call,
  { open = openMachine, noMouse = false, notify, verify, onDemo, demo }: BoardOptions = {},
): Promise<Exit> {
  const { terminal, home, env } = call;
  const prices = readPrices(env);
  const data = openBoardData<AnyTrack>({
    program: shellCommand(env),
    demo: demo?.playing,
    clearDelay: clearDelayOf(env),
    person: env.USER || env.USERNAME,
    prices,
  });
  let source: BoardSource | undefined;
  let writer: FrameWriter | undefined;
  let background: Background = "dark";
  /** Another program has the terminal. */
  let isAway = false;
  /** Printed after the board, instead of its summary. */
  let next: "demo" | "replay" | undefined;
  let failure: { readonly error: unknown } | undefined;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });

  const draw = (): number => {
    if (!writer || isAway) return Number.POSITIVE_INFINITY;
    if (screen.isBehind) return BEHIND;
    const shown = data.at(Date.now(), board.state);
    board.state = ensureSelection(board.state, shown);
    actions.readRevisions().catch(board.showError);
    const { color, unicode } = terminal;
    const lines = screenLines(shown, board.state, screen.size(), { color, unicode, background });
    writer.draw(lines);
    return msUntilChange(lines, shown.now);
  };
  const frames = newFrameLimiter(draw);
  const takeTerminal = (): void => {
    screen.enter();
    writer?.invalidate();
  };
  const onKey = (key: Key): void => {
    if (key.name === "background") background = key.light ? "light" : "dark";
    else if (key.name === "ctrl z") suspend();
    else {
      if (key.name === "ctrl l") writer?.invalidate();
      const shown = data.at(Date.now(), board.state);
      const { state, action } = handleKey(board.state, key, shown, screen.size());
      board.state = state;
      if (action) actions.perform(action).then(board.showMessage, board.showError);
    }
    frames.requestFrame();
  };
  const suspend = (): void => {
    screen.leave();
    process.once("SIGCONT", () => {
      takeTerminal();
      frames.requestFrame();
    });
    process.kill(process.pid, "SIGTSTP");
  };
  const resized = (): void => {
    writer?.invalidate();
    screen.write("\x1b[2J");
    frames.requestFrame();
  };
  const screen = openBoardTerminal(onKey, resized, () => finish(), {
    mouse: usesMouse(env, noMouse),
  });

  const board: RunningBoard = {
    call,
    demo,
    prices,
    data,
    screen,
    state: newState(readMore(home.path)),
    tasks: openBoardTasks(call, {
      selectedId() {
        const { screen: shown, taskIsOpen, task } = board.state;
        return shown === "tasks" && taskIsOpen ? task : undefined;
      },
      prove: async (task) => {
        const { storedProofs } = await import("../../servers/verify/task-proof.ts");
        return storedProofs({ home, env }, data.tracks)(task);
      },
      onOpen: data.setTasks,
      onDetail: data.setDetail,
      onChange: frames.requestFrame,
      onProblem: (error) => board.showError(error),
    }),
    get source() {
      return source;
    },
    get isDrawing() {
      return writer !== undefined;
    },
    requestFrame: frames.requestFrame,
    showMessage(message) {
      if (message !== undefined) board.state = { ...board.state, message };
      data.invalidate();
      frames.requestFrame();
    },
    showError: (error) => board.showMessage(redactedMessage(error)),
    remember(undo) {
      board.state = withUndo(board.state, undo, Date.now());
    },
    async whileAway(run) {
      screen.leave();
      isAway = true;
      try {
        return await run();
      } finally {
        isAway = false;
        takeTerminal();
      }
    },
    finish(after) {
      next = after;
      finish();
    },
  };
  const actions = openBoardActions(board);

  const interrupts = catchInterrupts(
    () => finish(),
    () => {
      screen.leave();
      interrupts.release();
    },
  );
  const onFailure = (error: unknown): void => {
    if (failure) {
      screen.leave();
      process.exit(EXIT.environment);
    }
    failure = { error };
    finish();
  };
  // Errors in timers and key handlers must be printed after the terminal is restored.
  process.on("uncaughtException", onFailure);
  const stopParents = watchParents(() => finish());
  let stopFollowing: (() => Promise<void>) | undefined;
  screen.enter();
  try {
    writer = newFrameWriter({ write: screen.write, size: screen.size, color: terminal.color });
    frames.requestFrame();
    // The first read may take a while; the first frame does not wait for it.
    await new Promise((resolve) => setImmediate(resolve));
    const quiet = { ...call, terminal: { ...terminal, printError: board.showMessage } };
    source = await open(quiet);
    stopFollowing = await follow(board, quiet, source, { notify, verify });
    await finished;
  } catch (error) {
    failure ??= { error };
  }
  frames.stop();
  writer = undefined;
  const last = source && !failure ? data.at(Date.now(), newState(board.state.more)) : undefined;
  const isConnected = screen.leave();
  screen.close();
  stopParents();
  if (last && isConnected && next === undefined) terminal.print(summary(last, call));
  if (source && !demo && !failure) noteClosed(home.path);
  await actions.stop();
  await stopFollowing?.();
  await source?.close();
  process.off("uncaughtException", onFailure);
  // A terminal that closed ends programs with SIGHUP, which may have been lost.
  interrupts.release(isConnected ? undefined : "SIGHUP");
  if (failure) throw failure.error;
  if (next === "demo") onDemo?.();
  if (next === "replay") demo?.onReplay();
  return EXIT.success;
}

/** Draws what the source publishes, and runs what watches it: stalls, and checks of completed todos. */
async function follow(
  board: RunningBoard,
  call: Call,
  { feed, page }: BoardSource,
  { notify, verify }: Pick<BoardOptions, "notify" | "verify">,
): Promise<() => Promise<void>> {
  const { data, demo, screen, requestFrame, showError } = board;
  const probing = new AbortController();
  // Nothing is done about the recorded agents of the demo.
  const stalls = demo ? undefined : await openStalls(call, { notify, ring: screen.write });
  const verifier = await openVerifyDone(call, { verify, onLine: board.showMessage });
  const stopStalls = stalls && followStalls(feed, stalls);
  const stopVerifier = verifier && followNotifications(feed, verifier);
  if (page) data.setHasPage();
  let isScheduled = false;
  const refresh = (): void => {
    isScheduled = false;
    data.setTracks(feed.tracks);
    requestFrame();
  };
  feed.ready.then(() => {
    data.setLoaded();
    requestFrame();
    reportAway(board).catch(showError);
    detectAgents(board, feed, probing.signal).catch(showError);
  });
  // Draws the end card when the recording ends.
  demo?.playing.finished.then(requestFrame, showError);
  // Batches updates of the same tick into one refresh.
  feed.subscribe(() => {
    if (!isScheduled) setImmediate(refresh);
    isScheduled = true;
  });
  refresh();
  return async () => {
    probing.abort();
    await stopStalls?.();
    await stopVerifier?.();
  };
}

/** Runs after the first frame: asking the agents' programs for their version may take seconds. */
async function detectAgents(
  { call: { env, home }, data, demo, requestFrame }: RunningBoard,
  feed: BoardSource["feed"],
  signal: AbortSignal,
): Promise<void> {
  const lives = feed.tracks().flatMap(({ external }) => (external ? [external.live] : []));
  const machine = machineOf(env, undefined);
  const found = demo
    ? await demo.agents(signal)
    : await findAgents({ machine, env, home: home.path, lives, signal });
  data.setAgents(found);
  requestFrame();
}

function summary(world: BoardData, { terminal }: Pick<Call, "terminal">): string {
  const { color, unicode } = terminal;
  const width = process.stdout.columns || terminal.width;
  const page = pageOf({ width, color, unicode, now: world.now });
  return print(summaryLines(page, world), color);
}
