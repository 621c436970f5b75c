import { trackKey } from "../../core/text/ids.ts";
import type { BoardRow } from "../../core/views/board.ts";
import { pagePath, taskPath } from "../../core/wire.ts";
import { agentsFound } from "../../doctor/agents-found.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";
import { keepMore, readMore } from "../../home/board-settings.ts";
import { clearDelayOf } from "../../home/clear-delay.ts";
import { catchInterrupts } from "../../home/interrupts.ts";
import { carryOut } from "../../servers/board/act.ts";
import {
  type BoardSource,
  openMachine,
  type PageDemo,
  runningPage,
} from "../../servers/board/source.ts";
import { tasksOf } from "../../servers/board/tasks.ts";
import { CODE_LIFE } from "../../servers/http/access/access.ts";
import { watchParents } from "../../servers/mcp/parents.ts";
import { followNotifications } from "../../servers/notify/follow.ts";
import type { AnyTrack } from "../../sessions/any-track.ts";
import { machineOf } from "../../sessions/transcripts/agents.ts";
import { typedHere } from "../../setup/typed-program.ts";
import { changesIn } from "../../surfaces/terminal/changes-by-itself.ts";
import type { Mounted } from "../../surfaces/terminal/ink/mount.ts";
import type { Key } from "../../surfaces/terminal/keys/keys.ts";
import { press } from "../../surfaces/terminal/keys/press.ts";
import { pastAt } from "../../surfaces/terminal/past.ts";
import { screenLines } from "../../surfaces/terminal/screen.ts";
import { type Act, newState, type World } from "../../surfaces/terminal/state.ts";
import { summaryLines } from "../../surfaces/terminal/summary.ts";
import { openWorld, selecting } from "../../surfaces/terminal/world.ts";
import { pageOf } from "../../surfaces/text/draw/page.ts";
import type { Background } from "../../surfaces/text/draw/paint.ts";
import { print } from "../../surfaces/text/draw/spans.ts";
import type { Call } from "../args/command.ts";
import { openBrowser } from "../io/browser.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { openNotifications } from "../options/notifications.ts";
import { clipboardSequence, offersClipboard } from "./clipboard.ts";
import { editOne } from "./edit-list.ts";
import { newPace } from "./pace.ts";
import { openBoardTerminal } from "./terminal-mode.ts";

/** How soon to look again at a terminal that has not taken what it was sent. */
const BEHIND = 50;

export interface BoardOptions {
  /** Where what is shown comes from; the agents of this machine unless told. */
  readonly open?: (call: Call) => Promise<BoardSource>;
  /** Where to tell of what somebody should know, though they do not look. */
  readonly notify?: string | undefined;
  /** Called at the end if the person would rather see the recorded team. */
  readonly onDemo?: () => void;
  readonly demo?: BoardDemo | undefined;
}

/** The recorded demo, when that is what the board shows. */
export interface BoardDemo extends PageDemo {
  /** Called at the end if the person wants to see it again. */
  onReplay(): void;
}

/** The board on a terminal, until the person leaves it. */
export async function runBoard(
  call: Call,
  { open = openMachine, notify, onDemo, demo }: BoardOptions = {},
): Promise<Exit> {
  const { terminal, home, env } = call;
  let state = newState(readMore(home.path));
  let source: BoardSource | undefined;
  let stopNotifications: (() => Promise<void>) | undefined;
  let mounted: Mounted | undefined;
  let background: Background = "dark";
  /** What comes after the board instead of its summary. */
  let next: "demo" | "replay" | undefined;
  let expiry: NodeJS.Timeout | undefined;
  const probing = new AbortController();
  let broken: { readonly error: unknown } | undefined;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const program = typedHere(env);
  const world = openWorld<AnyTrack>({
    program,
    demo: demo?.playing,
    clearDelay: clearDelayOf(env),
  });

  const draw = (): number => {
    if (!mounted) return Number.POSITIVE_INFINITY;
    if (screen.isBehind) return BEHIND;
    const shown = world.at(Date.now(), state);
    state = selecting(state, shown.board);
    const { color, unicode } = terminal;
    const lines = screenLines(shown, state, screen.size(), { color, unicode, background });
    mounted.draw(lines);
    return changesIn(lines, shown.now);
  };
  const pace = newPace(draw);
  const say = (words: string | undefined): void => {
    if (words !== undefined) state = { ...state, said: words };
    world.changed();
    pace.soon();
  };

  const tasks = tasksOf(call, {
    looksAt: () => (state.place === "tasks" && state.taskIsOpen ? state.task : undefined),
    onOpen: world.showTasks,
    onDetail: world.setDetail,
    onNews: () => pace.soon(),
    onProblem: (error) => say(redactedMessage(error)),
  });

  const onKey = (key: Key): void => {
    if (key.name === "background") background = key.light ? "light" : "dark";
    else if (key.name === "ctrl z") suspend();
    else {
      if (key.name === "ctrl l") mounted?.anew();
      const pressed = press(state, key, world.at(Date.now(), state), screen.size());
      state = pressed.state;
      if (pressed.act) carry(pressed.act);
    }
    pace.soon();
  };
  const carry = (act: Act): void => {
    perform(act).then(say, (error: unknown) => say(redactedMessage(error)));
  };
  const perform = async (act: Act): Promise<string | undefined> => {
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
        keepMore(home.path, act.more);
        return undefined;
      case "page":
        return showPage();
      case "tasks":
        await tasks.open();
        return undefined;
      case "look":
        await tasks.look();
        return undefined;
      case "task": {
        const { said, id } = await tasks.apply(act.op);
        if (act.op.op === "add" && id !== undefined) state = { ...state, task: id };
        return said;
      }
      case "edit":
        screen.leave();
        try {
          return await editOne(call, act.id);
        } finally {
          screen.enter();
          mounted?.anew();
        }
      case "past":
        return look(act.row, act.step);
      case "ops":
      case "promote":
      case "plan":
        return carryOut(call, act);
    }
  };
  const look = async (row: BoardRow, step: number): Promise<string | undefined> => {
    const each = world.tracks().find(({ track }) => trackKey(track) === row.key);
    const list = each && (await source?.feed.read(each));
    const past = each && list && (await pastAt(list, each.track, row.key, step));
    world.setPast(past);
    if (past) return undefined;
    state = { ...state, place: "track" };
    return "Nothing happened to this list yet.";
  };
  /** The address on the page of what the board shows; undefined for the board itself. */
  const shownPath = (): string | undefined => {
    const place = ["help", "search"].includes(state.place) ? state.from : state.place;
    if (place === "tasks")
      return state.taskIsOpen && state.task !== undefined ? taskPath(state.task) : "/tasks";
    const shown =
      place !== "tracks" && world.tracks().find(({ track }) => trackKey(track) === state.selected);
    return shown ? pagePath(shown.track) : undefined;
  };
  /** A link works once: the browser gets one, and the user another for as long as it is shown. */
  const showPage = async (): Promise<string> => {
    const page = source?.page ?? runningPage(home.path);
    const to = shownPath();
    const [ours, theirs] = [await page.openingUrl(to), await page.openingUrl()];
    if (ours === undefined || theirs === undefined)
      return `No page is being served. Run ${program} serve, or start the board with --page.`;
    openBrowser(ours);
    const isOffered = offersClipboard(env);
    // The link on the screen is short, so that all of it is shown; the copied one leads where the browser was led.
    const copy = to !== undefined && isOffered ? ((await page.openingUrl(to)) ?? theirs) : theirs;
    if (isOffered) screen.write(clipboardSequence(copy));
    // The link comes early: on a small screen the end of what is said is cut.
    const copied = isOffered ? " and the terminal to copy the link" : "";
    const words = `One-time link, for one minute: ${theirs} Asked your browser to open the page${copied}.`;
    clearTimeout(expiry);
    expiry = setTimeout(() => {
      if (state.said === words) say("That link has expired. Press w for a new one.");
    }, CODE_LIFE);
    return words;
  };
  /** Found out after the first paint: agents' programs may take seconds to tell their version. */
  const lookForAgents = async (feed: BoardSource["feed"]): Promise<void> => {
    const lives = feed.tracks().flatMap(({ foreign }) => (foreign ? [foreign.live] : []));
    const machine = machineOf(env, undefined);
    const { signal } = probing;
    const found = demo
      ? await demo.agents(signal)
      : await agentsFound({ machine, env, home: home.path, lives, signal });
    world.setAgents(found);
    pace.soon();
  };
  const suspend = (): void => {
    screen.leave();
    process.once("SIGCONT", () => {
      screen.enter();
      mounted?.anew();
      pace.soon();
    });
    process.kill(process.pid, "SIGTSTP");
  };

  const resized = (): void => {
    mounted?.anew();
    screen.write("\x1b[2J");
    pace.soon();
  };
  const screen = openBoardTerminal(onKey, resized, () => finish());
  const interrupts = catchInterrupts(
    () => finish(),
    () => {
      screen.leave();
      interrupts.release();
    },
  );
  const broke = (error: unknown): void => {
    if (broken) {
      screen.leave();
      process.exit(EXIT.environment);
    }
    broken = { error };
    finish();
  };
  // What goes wrong in a timer or with a key is to be said on a terminal that can be read.
  process.on("uncaughtException", broke);
  const stopParents = watchParents(() => finish());
  screen.enter();
  try {
    const { mount } = await import("../../surfaces/terminal/ink/mount.ts");
    mounted = await mount({ write: screen.write, size: screen.size, color: terminal.color });
    pace.soon();
    // What is read for the first time may take a while; the first frame is not to wait for it.
    await new Promise((resolve) => setImmediate(resolve));
    source = await open({ ...call, terminal: { ...terminal, say } });
    const { feed } = source;
    const notifications = await openNotifications(
      { ...call, terminal: { ...terminal, say } },
      { notify, ring: screen.write },
    );
    stopNotifications = notifications && followNotifications(feed, notifications);
    if (source.page) world.setHasPage();
    let isTold = false;
    const refresh = (): void => {
      isTold = false;
      world.showTracks(feed.tracks);
      pace.soon();
    };
    feed.ready.then(() => {
      world.setRead();
      pace.soon();
      lookForAgents(feed).catch((error: unknown) => say(redactedMessage(error)));
    });
    // The end card appears when the recording is over, though nothing else changes then.
    demo?.playing.finished.then(
      () => pace.soon(),
      (error: unknown) => say(redactedMessage(error)),
    );
    // What is told in one go is shown in one go.
    feed.subscribe(() => {
      if (!isTold) setImmediate(refresh);
      isTold = true;
    });
    refresh();
    await finished;
  } catch (error) {
    broken ??= { error };
  }
  pace.stop();
  clearTimeout(expiry);
  probing.abort();
  mounted?.unmount();
  mounted = undefined;
  const last = source && !broken ? world.at(Date.now(), newState(state.more)) : undefined;
  const isThere = screen.leave();
  screen.close();
  stopParents();
  if (last && isThere && next === undefined) terminal.print(summary(last, call));
  tasks.stop();
  await stopNotifications?.();
  await source?.close();
  process.off("uncaughtException", broke);
  // Where the terminal went away its signal may be lost; it is what ends programs then.
  interrupts.release(isThere ? undefined : "SIGHUP");
  if (broken) throw broken.error;
  if (next === "demo") onDemo?.();
  if (next === "replay") demo?.onReplay();
  return EXIT.fine;
}

function summary(world: World, { terminal }: Pick<Call, "terminal">): string {
  const { color, unicode } = terminal;
  const width = process.stdout.columns || terminal.width;
  const page = pageOf({ width, color, unicode, now: world.now });
  return print(summaryLines(page, world), color);
}
