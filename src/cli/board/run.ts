import { spawn } from "node:child_process";

import { firstShown } from "../../core/activity/calls/failures.ts";

import { CommandError } from "../../core/error.ts";
import type { TrackId } from "../../core/model.ts";
import { planFingerprint } from "../../core/plan/decide.ts";
import { revisionOf } from "../../core/plan/plan.ts";
import { DAY, MINUTE, SECOND } from "../../core/text/duration.ts";
import { trackKey } from "../../core/text/ids.ts";
import { same } from "../../core/values.ts";
import type { BoardRow } from "../../core/views/board.ts";
import { titleOf } from "../../core/views/title.ts";
import { pagePath, taskPath } from "../../core/wire.ts";
import { findAgents } from "../../doctor/find-agents.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";
import { readClosedAt, readMore, saveClosedAt, saveMore } from "../../home/board-settings.ts";
import { clearDelayOf } from "../../home/clear-delay.ts";
import { catchInterrupts } from "../../home/interrupts.ts";
import { readPrices } from "../../home/prices.ts";
import { applyChange, changeList, undoList } from "../../servers/board/apply-change.ts";
import { holdDecisions } from "../../servers/board/held.ts";
import {
  type BoardSource,
  openMachine,
  type PageDemo,
  runningPage,
} from "../../servers/board/source.ts";
import { openBoardTasks } from "../../servers/board/tasks.ts";
import { CODE_LIFE } from "../../servers/http/access/access.ts";
import { watchParents } from "../../servers/mcp/parents.ts";
import { followNotifications } from "../../servers/notify/follow.ts";
import { followStalls } from "../../servers/stalls/follow.ts";
import type { AnyTrack } from "../../sessions/any-track.ts";
import { changeArchive } from "../../sessions/archive.ts";
import { machineOf } from "../../sessions/transcripts/machine.ts";
import { shellCommand } from "../../setup/shell-command.ts";
import { ensureSelection, openBoardData } from "../../surfaces/terminal/board-data.ts";
import { historyStepAt } from "../../surfaces/terminal/history-step.ts";
import { handleKey } from "../../surfaces/terminal/keys/handle-key.ts";
import type { Key } from "../../surfaces/terminal/keys/key-parser.ts";
import { UNDO_FOR, withUndo } from "../../surfaces/terminal/keys/undo.ts";
import { msUntilChange } from "../../surfaces/terminal/next-change.ts";
import { screenLines } from "../../surfaces/terminal/screen.ts";
import {
  type BoardAction,
  type BoardData,
  newState,
  type PlanAction,
} from "../../surfaces/terminal/state.ts";
import { summaryLines } from "../../surfaces/terminal/summary.ts";
import { agentLook } from "../../surfaces/text/agents.ts";
import { pageOf } from "../../surfaces/text/draw/page.ts";
import type { Background } from "../../surfaces/text/draw/paint.ts";
import { print } from "../../surfaces/text/draw/spans.ts";
import type { Call } from "../args/command.ts";
import { openBrowser } from "../io/browser.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { openStalls } from "../options/notifications.ts";
import { openVerifyDone } from "../verify/when-done.ts";
import type { BoardChecks } from "./checks.ts";
import { clipboardSequence, offersClipboard } from "./clipboard.ts";
import { editOne } from "./edit-list.ts";
import { newFrameLimiter } from "./frame-limiter.ts";
import { type FrameWriter, newFrameWriter } from "./frame-writer.ts";
import { usesMouse } from "./mouse.ts";
import { openBoardTerminal } from "./terminal-mode.ts";

/** Milliseconds before retrying to draw on a terminal that is behind. */
const BEHIND = 50;
/** Milliseconds for which the board must have been closed to say what changed, and how far back that goes. */
const AWAY_AFTER = 30 * MINUTE;
const MAX_AWAY = 7 * DAY;

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

/** The demo that the board shows. */
export interface BoardDemo extends PageDemo {
  /** Called at the end if the user wants to see it again. */
  onReplay(): void;
}

/** Runs the board until the user quits. */
export async function runBoard(
  call: Call,
  { open = openMachine, noMouse = false, notify, verify, onDemo, demo }: BoardOptions = {},
): Promise<Exit> {
  const { terminal, home, env } = call;
  let state = newState(readMore(home.path));
  let source: BoardSource | undefined;
  let stopStalls: (() => Promise<void>) | undefined;
  let stopVerifier: (() => Promise<void>) | undefined;
  let writer: FrameWriter | undefined;
  let background: Background = "dark";
  /** Another program has the terminal. */
  let isSuspended = false;
  /** Printed after the board, instead of its summary. */
  let next: "demo" | "replay" | undefined;
  let expiry: NodeJS.Timeout | undefined;
  let countdown: NodeJS.Timeout | undefined;
  let boardChecks: BoardChecks | undefined;
  const probing = new AbortController();
  let failure: { readonly error: unknown } | undefined;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const program = shellCommand(env);
  const prices = readPrices(env);
  const world = openBoardData<AnyTrack>({
    program,
    demo: demo?.playing,
    clearDelay: clearDelayOf(env),
    person: env.USER || env.USERNAME,
    prices,
  });

  const draw = (): number => {
    if (!writer || isSuspended) return Number.POSITIVE_INFINITY;
    if (screen.isBehind) return BEHIND;
    const shown = world.at(Date.now(), state);
    state = ensureSelection(state, shown);
    readRevisions().catch((error: unknown) => showMessage(redactedMessage(error)));
    const { color, unicode } = terminal;
    const lines = screenLines(shown, state, screen.size(), { color, unicode, background });
    writer.draw(lines);
    return msUntilChange(lines, shown.now);
  };
  const frames = newFrameLimiter(draw);
  const showMessage = (message: string | undefined): void => {
    if (message !== undefined) state = { ...state, message };
    world.invalidate();
    frames.requestFrame();
  };

  const tasks = openBoardTasks(call, {
    selectedId: () => (state.screen === "tasks" && state.taskIsOpen ? state.task : undefined),
    prove: async (task) => {
      const { storedProofs } = await import("../../servers/verify/task-proof.ts");
      return storedProofs({ home, env }, world.tracks)(task);
    },
    onOpen: world.setTasks,
    onDetail: world.setDetail,
    onChange: () => frames.requestFrame(),
    onProblem: (error) => showMessage(redactedMessage(error)),
  });

  const onKey = (key: Key): void => {
    if (key.name === "background") background = key.light ? "light" : "dark";
    else if (key.name === "ctrl z") suspend();
    else {
      if (key.name === "ctrl l") writer?.invalidate();
      const pressed = handleKey(state, key, world.at(Date.now(), state), screen.size());
      state = pressed.state;
      if (pressed.action) execute(pressed.action);
    }
    frames.requestFrame();
  };
  const execute = (act: BoardAction): void => {
    perform(act).then(showMessage, (error: unknown) => showMessage(redactedMessage(error)));
  };
  const perform = async (act: BoardAction): Promise<string | undefined> => {
    switch (act.type) {
      case "quit":
        finish();
        return undefined;
      case "demo":
      case "replay":
        next = act.type;
        finish();
        return undefined;
      case "more":
        saveMore(home.path, act.more);
        return undefined;
      case "page":
        return showPage();
      case "report":
        return showReport();
      case "tasks":
        await tasks.open();
        return undefined;
      case "open-task":
        await tasks.readSelected();
        return undefined;
      case "task": {
        const { message, id, undo = [] } = await tasks.apply(act.op);
        if (act.op.op === "add" && id !== undefined) state = { ...state, task: id };
        if (undo.length === 0) return message;
        remember({ type: "undo-task", ops: undo });
        return `${message} Press u to undo.`;
      }
      case "queue": {
        const { type: _, ...change } = act;
        const reason = world.at(Date.now(), state).tasks?.paused?.reason;
        const message = await tasks.setPaused(change);
        remember({
          type: "queue",
          paused: !change.paused,
          ...(reason !== undefined && !change.paused && { reason }),
        });
        return `${message} Press u to undo.`;
      }
      case "edit":
        screen.leave();
        try {
          return await edit(act.id);
        } finally {
          screen.enter();
          writer?.invalidate();
        }
      case "history":
        return look(act.row, act.step);
      case "call":
        return showCall(act);
      case "verify":
        return (await checks()).verify(act.row, act.todo);
      case "cancel-run":
        (await checks()).cancel();
        return undefined;
      case "accept":
        return (await checks()).accept(act.row, act.todo);
      case "checks":
        return showChecks(act.row);
      case "trust": {
        const message = await (await checks()).trust(act.row, act.check);
        await showChecks(act.row);
        return message;
      }
      case "jump":
        return jump(act.row, act.pane);
      case "copy":
        return copy(act.text)
          ? "Asked the terminal to copy it."
          : "This terminal has no clipboard.";
      case "resume":
        return resume(act.words, act.cwd);
      case "archive": {
        const { session, archived, seen } = act;
        await changeArchive(home.path, [{ session, archived, seen }], Date.now());
        source?.feed.refresh();
        return undefined;
      }
      case "ops": {
        const { message, undo } = await changeList(call, act);
        if (!undo) return message;
        remember(undo);
        return state.message === undefined ? "Saved. Press u to undo." : undefined;
      }
      case "undo-list":
        return undoList(call, act);
      case "undo-task": {
        for (const op of act.ops) {
          const { message, undo } = await tasks.apply(op);
          if (undo === undefined) return `Not undone: ${message}`;
        }
        return "Undone.";
      }
      case "undo-plan": {
        const isUndone = held.undo(act.key);
        showHeld();
        return isUndone ? "Taken back. The agent still waits." : "Too late: the agent has it.";
      }
      case "plan": {
        const key = trackKey(act.id);
        held.hold(key, act, Date.now());
        remember({ type: "undo-plan", key });
        showHeld();
        return undefined;
      }
      case "promote":
        return applyChange(call, act);
    }
  };
  const remember = (undo: BoardAction): void => {
    state = withUndo(state, undo, Date.now());
  };
  const edit = async (id: TrackId): Promise<string | undefined> => {
    const todos = async () => (await (await home.reading()).list(id).read()).todos;
    const before = await todos();
    const message = await editOne(call, id);
    const after = await todos();
    if (!same(before, after)) remember({ type: "undo-list", id, before, after });
    return message;
  };
  /** Decisions on plans reach the agent after the time in which they can be undone, or when the board ends. */
  const held = holdDecisions<PlanAction>(UNDO_FOR, async (act) => {
    const message = await applyChange(call, act).catch((error: unknown) => redactedMessage(error));
    showHeld();
    if (writer) showMessage(message);
    else if (message !== undefined) terminal.print(message);
  });
  const showHeld = (): void => {
    const all = held.all().map(({ key, decision, until }) => {
      const each = world.tracks().find(({ track }) => trackKey(track) === key);
      return { key, until, decision: decision.decision, title: each ? titleOf(each) : "" };
    });
    state = { ...state, held: all };
    clearInterval(countdown);
    countdown = all.length > 0 ? setInterval(() => frames.requestFrame(), SECOND) : undefined;
    frames.requestFrame();
  };
  /** Terminals do not report whether they copied. */
  const copy = (text: string): boolean => {
    const isOffered = offersClipboard(env);
    if (isOffered) screen.write(clipboardSequence(text));
    return isOffered;
  };
  const jump = async (row: BoardRow, pane?: string): Promise<string | undefined> => {
    if (demo) return "The agents of the demo have no terminal.";
    const [{ jumpTo }, { copiedText }] = await Promise.all([
      import("../../servers/jump/jump.ts"),
      import("../../surfaces/terminal/jump/lines.ts"),
    ]);
    const answer = await jumpTo({ home: home.path, env, tracks: world.tracks }, row, pane);
    const text = copiedText(answer);
    const name = agentLook(row.track.agentType).name || "the agent";
    const asks =
      row.state === "needs_you" && row.waiting?.kind !== "plan" ? row.waiting?.text : undefined;
    const isCopied = text !== undefined && copy(text);
    state = { ...state, jump: { row: row.key, name, answer, asks, isCopied } };
    return undefined;
  };
  /** The board waits meanwhile; its data keeps up. */
  const resume = async (words: readonly string[], cwd?: string): Promise<string | undefined> => {
    const [program = "", ...args] = words;
    screen.leave();
    isSuspended = true;
    try {
      return await new Promise<string | undefined>((resolve) => {
        const child = spawn(program, args, { stdio: "inherit", ...(cwd !== undefined && { cwd }) });
        child.on("error", ({ message }) => resolve(`Cannot start ${program}: ${message}.`));
        child.on("close", () => resolve(undefined));
      });
    } finally {
      isSuspended = false;
      screen.enter();
      writer?.invalidate();
    }
  };
  const checks = async (): Promise<BoardChecks> => {
    if (demo) throw new CommandError("Checks are off in the demo.");
    const { openBoardChecks } = await import("./checks.ts");
    boardChecks ??= openBoardChecks(call, (run) => {
      state = { ...state, run };
      frames.requestFrame();
    });
    return boardChecks;
  };
  const showChecks = async (row: BoardRow): Promise<undefined> => {
    world.setChecks(undefined);
    try {
      world.setChecks(await (await checks()).list(row));
    } catch (error) {
      state = { ...state, screen: "track" };
      throw error;
    }
    return undefined;
  };
  const listOf = async (key: string) => {
    const each = world.tracks().find(({ track }) => trackKey(track) === key);
    return each && source?.feed.read(each);
  };
  const showCall = async (act: BoardAction & { type: "call" }): Promise<undefined> => {
    const { row } = act;
    world.setCall(undefined);
    try {
      const { readShownCall } = await import("../calls/board-call.ts");
      const shown = await readShownCall(await listOf(row.key), row.key, act);
      if (state.screen !== "call" || state.selected !== row.key) return undefined;
      world.setCall(shown);
      state = { ...state, scroll: firstShown(shown.failures) };
    } catch (error) {
      if (state.screen === "call") state = { ...state, screen: "track" };
      throw error;
    }
    return undefined;
  };
  /** Identifies the plan whose revisions are known. */
  let revised = "";
  /** Reads the revisions of the plan on the screen, once for each of its states. */
  const readRevisions = async (): Promise<void> => {
    const { screen: shown, selected = "" } = state;
    const plan =
      shown === "plan"
        ? world.tracks().find(({ track }) => trackKey(track) === selected)?.plan
        : undefined;
    if (!plan || revisionOf(plan) < 2) return;
    const key = [selected, planFingerprint(plan), plan.state, plan.comments?.length].join(" ");
    if (key === revised) return;
    revised = key;
    const revisions = await (await listOf(selected))?.revisions();
    if (revisions) world.setRevisions({ key: selected, revisions });
    frames.requestFrame();
  };
  const look = async (row: BoardRow, step: number): Promise<string | undefined> => {
    const each = world.tracks().find(({ track }) => trackKey(track) === row.key);
    const list = each && (await source?.feed.read(each));
    const past = each && list && (await historyStepAt(list, each.track, row.key, step));
    world.setHistoryStep(past);
    if (past) return undefined;
    state = { ...state, screen: "track" };
    return "This list has no changes yet.";
  };
  /** The path of the page that shows what the board shows; undefined for the overview. */
  const shownPath = (): string | undefined => {
    const shownScreen = ["help", "search"].includes(state.screen) ? state.from : state.screen;
    if (shownScreen === "tasks")
      return state.taskIsOpen && state.task !== undefined ? taskPath(state.task) : "/tasks";
    const shown =
      shownScreen !== "tracks" &&
      world.tracks().find(({ track }) => trackKey(track) === state.selected);
    return shown ? pagePath(shown.track) : undefined;
  };
  /** A link works once, so the browser gets one and the user another. */
  const showPage = async (): Promise<string> => {
    const page = source?.page ?? runningPage(home.path);
    const to = shownPath();
    const [ours, theirs] = [await page.signInUrl(to), await page.signInUrl()];
    if (ours === undefined || theirs === undefined)
      return `The page is not being served. Run \`${program} serve\`, or start the board with --page.`;
    openBrowser(ours);
    const isOffered = offersClipboard(env);
    // The link on the screen is short, so that it fits; the copied one opens the same view as the browser.
    const copy = to !== undefined && isOffered ? ((await page.signInUrl(to)) ?? theirs) : theirs;
    if (isOffered) screen.write(clipboardSequence(copy));
    // The link comes first: a small screen truncates the end of the message.
    const copied = isOffered ? " and the terminal to copy the link" : "";
    const message = `One-time link, valid for one minute: ${theirs} Asked your browser to open the page${copied}.`;
    clearTimeout(expiry);
    expiry = setTimeout(() => {
      if (state.message === message) showMessage("That link has expired. Press w for a new one.");
    }, CODE_LIFE);
    return message;
  };
  /** The report since a time; errors are shown as a message. */
  const readReport = async (since: number, isAway: boolean): Promise<void> => {
    if (!source) return;
    const { gatherReport } = await import("../../servers/report/gather.ts");
    const now = Date.now();
    const window = { since, until: now };
    world.setReport(await gatherReport(source.feed, { window, now, prices }), isAway);
    frames.requestFrame();
  };
  const showReport = async (): Promise<undefined> => {
    const { report, isAway } = world.at(Date.now(), state);
    // The line about the time away names the same report.
    if (!report || !isAway) await readReport(Date.now() - DAY, false);
  };
  /** Says what changed since the board was closed, if that was a while ago. */
  const reportAway = async (): Promise<void> => {
    const closedAt = demo ? undefined : readClosedAt(home.path);
    if (closedAt === undefined || Date.now() - closedAt < AWAY_AFTER) return;
    await readReport(Math.max(closedAt, Date.now() - MAX_AWAY), true);
  };
  /** Runs after the first frame: asking the agents' programs for their version may take seconds. */
  const detectAgents = async (feed: BoardSource["feed"]): Promise<void> => {
    const lives = feed.tracks().flatMap(({ external }) => (external ? [external.live] : []));
    const machine = machineOf(env, undefined);
    const { signal } = probing;
    const found = demo
      ? await demo.agents(signal)
      : await findAgents({ machine, env, home: home.path, lives, signal });
    world.setAgents(found);
    frames.requestFrame();
  };
  const suspend = (): void => {
    screen.leave();
    process.once("SIGCONT", () => {
      screen.enter();
      writer?.invalidate();
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
  screen.enter();
  try {
    writer = newFrameWriter({ write: screen.write, size: screen.size, color: terminal.color });
    frames.requestFrame();
    // The first read may take a while; the first frame does not wait for it.
    await new Promise((resolve) => setImmediate(resolve));
    source = await open({ ...call, terminal: { ...terminal, printError: showMessage } });
    const { feed } = source;
    // Nothing is done about the recorded agents of the demo.
    if (!demo)
      stopStalls = followStalls(
        feed,
        await openStalls(
          { ...call, terminal: { ...terminal, printError: showMessage } },
          { notify, ring: screen.write },
        ),
      );
    const verifier = await openVerifyDone(
      { ...call, terminal: { ...terminal, printError: showMessage } },
      { verify, onLine: showMessage },
    );
    stopVerifier = verifier && followNotifications(feed, verifier);
    if (source.page) world.setHasPage();
    let isScheduled = false;
    const refresh = (): void => {
      isScheduled = false;
      world.setTracks(feed.tracks);
      frames.requestFrame();
    };
    feed.ready.then(() => {
      world.setLoaded();
      frames.requestFrame();
      reportAway().catch((error: unknown) => showMessage(redactedMessage(error)));
      detectAgents(feed).catch((error: unknown) => showMessage(redactedMessage(error)));
    });
    // Draws the end card when the recording ends.
    demo?.playing.finished.then(
      () => frames.requestFrame(),
      (error: unknown) => showMessage(redactedMessage(error)),
    );
    // Batches updates of the same tick into one refresh.
    feed.subscribe(() => {
      if (!isScheduled) setImmediate(refresh);
      isScheduled = true;
    });
    refresh();
    await finished;
  } catch (error) {
    failure ??= { error };
  }
  frames.stop();
  clearTimeout(expiry);
  clearInterval(countdown);
  probing.abort();
  writer = undefined;
  const last = source && !failure ? world.at(Date.now(), newState(state.more)) : undefined;
  const isConnected = screen.leave();
  screen.close();
  stopParents();
  if (last && isConnected && next === undefined) terminal.print(summary(last, call));
  if (source && !demo && !failure) noteClosed(home.path);
  await held.flush();
  tasks.stop();
  await boardChecks?.stop();
  await stopStalls?.();
  await stopVerifier?.();
  await source?.close();
  process.off("uncaughtException", onFailure);
  // A terminal that closed ends programs with SIGHUP, which may have been lost.
  interrupts.release(isConnected ? undefined : "SIGHUP");
  if (failure) throw failure.error;
  if (next === "demo") onDemo?.();
  if (next === "replay") demo?.onReplay();
  return EXIT.success;
}

function noteClosed(home: string): void {
  try {
    saveClosedAt(home, Date.now());
  } catch {
    // An unwritable home: the next start does not say what changed.
  }
}

function summary(world: BoardData, { terminal }: Pick<Call, "terminal">): string {
  const { color, unicode } = terminal;
  const width = process.stdout.columns || terminal.width;
  const page = pageOf({ width, color, unicode, now: world.now });
  return print(summaryLines(page, world), color);
}
