import { type Board, type BoardRow, boardOf } from "../../core/board.ts";
import { trackKey } from "../../core/joined.ts";
import type { Key } from "../../surfaces/board/keys.ts";
import { TURN } from "../../surfaces/board/pages.ts";
import { press } from "../../surfaces/board/press.ts";
import { screenLines } from "../../surfaces/board/screen.ts";
import {
  type Act,
  type BoardState,
  newState,
  type Past,
  rowsOf,
  type World,
} from "../../surfaces/board/state.ts";
import { summaryLines } from "../../surfaces/board/summary.ts";
import type { Mounted } from "../../surfaces/ink/mount.ts";
import { pageOf } from "../../surfaces/text/page.ts";
import type { Background } from "../../surfaces/text/paint.ts";
import { print } from "../../surfaces/text/spans.ts";
import type { AnyTrack } from "../any-track.ts";
import type { Call } from "../command.ts";
import { EXIT, type Exit } from "../exit.ts";
import type { Feed } from "../feed.ts";
import { catchInterrupts } from "../interrupts.ts";
import { carryOut, editOne } from "./act.ts";
import { agentsFound } from "./agents-found.ts";
import { pastAt } from "./past.ts";
import { keepMore, readMore } from "./remembered.ts";
import { openBoardTerminal } from "./terminal-mode.ts";

/** At most ten frames a second. */
const FRAME = 100;
/** How often a board on which nobody works looks at the clock. */
const CLOCK = 15_000;
/** The counting of seconds needs no more. */
const RECOUNT = 1_000;

/** The board on a terminal, until the person leaves it. */
export async function runBoard(call: Call, onDemo?: () => void): Promise<Exit> {
  const { terminal, home, env } = call;
  const since = Date.now();
  let state = newState(readMore(home.path));
  let feed: Feed | undefined;
  let mounted: Mounted | undefined;
  let tracks: readonly AnyTrack[] = [];
  let past: Past | undefined;
  let background: Background = "dark";
  let known: { readonly board: Board; readonly at: number; readonly only: string } | undefined;
  let drawnAt = 0;
  let drawing: NodeJS.Timeout | undefined;
  let ticking: NodeJS.Timeout | undefined;
  let refreshing: NodeJS.Timeout | undefined;
  let isRead = false;
  let wantsDemo = false;
  let broken: unknown;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });

  const boardNow = (now: number): Board => {
    const isOverview = state.place === "tracks";
    const only = isOverview ? (state.only ?? "all") : "open";
    if (known && known.only === only && now - known.at < RECOUNT) return known.board;
    const board = boardOf(tracks, {
      now,
      only: isOverview ? state.only : undefined,
      ...(!isOverview && { keep: Number.POSITIVE_INFINITY }),
    });
    known = { board, at: now, only };
    return board;
  };
  const world = (): World => {
    const now = Date.now();
    const board = boardNow(now);
    const empty = board.groups.length === 0 && isRead;
    return {
      board,
      now,
      since,
      reading: !isRead,
      past,
      frame: Math.floor(now / TURN),
      ...(empty && { agents: agents() }),
    };
  };
  let found: ReturnType<typeof agentsFound> | undefined;
  const agents = () => {
    found ??= agentsFound(env);
    return found;
  };

  const draw = (): void => {
    clearTimeout(drawing);
    clearTimeout(ticking);
    drawing = undefined;
    drawnAt = Date.now();
    const shown = world();
    state = selecting(state, shown.board);
    const { color, unicode } = terminal;
    mounted?.draw(screenLines(shown, state, screen.size(), { color, unicode, background }));
    const turns = unicode && rowsOf(shown.board).some(isTurning);
    ticking = setTimeout(soon, turns ? TURN : hasWorkers(shown.board) ? RECOUNT : CLOCK);
  };
  const soon = (): void => {
    if (!mounted) return;
    drawing ??= setTimeout(draw, Math.max(0, drawnAt + FRAME - Date.now()));
  };
  const say = (words: string | undefined): void => {
    if (words !== undefined) state = { ...state, said: words };
    known = undefined;
    soon();
  };

  const onKey = (key: Key): void => {
    if (key.name === "background") {
      background = key.light ? "light" : "dark";
      soon();
      return;
    }
    if (key.name === "ctrl z") {
      suspend();
      return;
    }
    if (key.name === "ctrl l") mounted?.anew();
    const pressed = press(state, key, world(), screen.size());
    state = pressed.state;
    if (pressed.act) carry(pressed.act);
    soon();
  };
  const carry = (act: Act): void => {
    perform(act).then(say, (error: unknown) =>
      say(error instanceof Error ? error.message : String(error)),
    );
  };
  const perform = async (act: Act): Promise<string | undefined> => {
    switch (act.type) {
      case "quit":
        finish();
        return undefined;
      case "demo":
        wantsDemo = true;
        finish();
        return undefined;
      case "more":
        keepMore(home.path, act.more);
        return undefined;
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
      case "plan":
        return carryOut(call, act);
    }
  };
  const look = async (row: BoardRow, step: number): Promise<string | undefined> => {
    const each = tracks.find(({ track }) => trackKey(track) === row.key);
    past = each && feed ? await pastAt(call, each, feed, row.key, step) : undefined;
    if (past) return undefined;
    state = { ...state, place: "track" };
    return "Nothing happened to this list yet.";
  };
  const suspend = (): void => {
    screen.leave();
    process.once("SIGCONT", () => {
      screen.enter();
      mounted?.anew();
      soon();
    });
    process.kill(process.pid, "SIGTSTP");
  };

  const resized = (): void => {
    mounted?.anew();
    screen.write("\x1b[2J");
    soon();
  };
  const screen = openBoardTerminal(onKey, resized, () => finish());
  const interrupts = catchInterrupts(
    () => finish(),
    () => finish(),
  );
  screen.enter();
  try {
    const { mount } = await import("../../surfaces/ink/mount.ts");
    mounted = await mount({ write: screen.write, size: screen.size, color: terminal.color });
    draw();
    // What is read for the first time may take a while; the first frame is not to wait for it.
    await new Promise((resolve) => setImmediate(resolve));
    const { openFeed } = await import("../feed.ts");
    const quiet = { ...call, terminal: { ...terminal, say: (line: string) => say(line) } };
    const opened = await openFeed(quiet);
    feed = opened;
    opened.ready.then(() => {
      isRead = true;
      soon();
    });
    const refresh = (): void => {
      tracks = opened.tracks();
      known = undefined;
      soon();
    };
    opened.subscribe(() => {
      refreshing ??= setTimeout(() => {
        refreshing = undefined;
        refresh();
      }, FRAME / 2);
    });
    refresh();
    await finished;
  } catch (error) {
    broken = error;
  } finally {
    state = newState(state.more);
    const last = feed ? world() : undefined;
    clearTimeout(drawing);
    clearTimeout(ticking);
    clearTimeout(refreshing);
    mounted?.unmount();
    mounted = undefined;
    screen.leave();
    feed?.stop();
    if (last && !wantsDemo && broken === undefined) terminal.print(summary(last, call));
    interrupts.release();
  }
  if (broken !== undefined) throw broken;
  if (wantsDemo) onDemo?.();
  return EXIT.fine;
}

function summary(world: World, { terminal }: Pick<Call, "terminal">): string {
  const { color, unicode } = terminal;
  const width = process.stdout.columns || terminal.width;
  const page = pageOf({ width, color, unicode, now: world.now });
  return print(summaryLines(page, world), color);
}

/** Somebody is always selected; who was, stays it. */
function selecting(state: BoardState, board: Board): BoardState {
  if (state.place !== "tracks") return state;
  const rows = rowsOf(board);
  if (rows.some(({ key }) => key === state.selected)) return state;
  return { ...state, selected: rows[0]?.key };
}

function isTurning({ state, children }: BoardRow): boolean {
  return state === "working" || children.some(isTurning);
}

function hasWorkers({ counts }: Board): boolean {
  return counts.working > 0 || counts["needs you"] > 0;
}
