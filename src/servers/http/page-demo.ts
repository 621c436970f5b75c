import type { DemoStatus } from "../../core/wire.ts";
import { openDemoMachine } from "../../demo/home.ts";
import type { Playing } from "../../demo/play.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";
import type { Context } from "../../home/open.ts";
import { openFeed } from "../../sessions/feed.ts";
import { type Broadcast, RESYNC } from "./broadcast.ts";
import { type PageSource, pageSource, whileShown } from "./page-source.ts";
import { type Handler, HttpError, type Route, sendJson } from "./routes.ts";

/** Plays the recorded demo on a running page, instead of the user's own sessions, until the user leaves it. */
export interface PageDemo {
  /** The demo's data; undefined while the page shows the user's own sessions. */
  readonly source: PageSource | undefined;
  readonly routes: readonly Route[];
  close(): Promise<void>;
}

export interface PageDemoOptions {
  readonly broadcast: Broadcast;
  /** False on a server that shows only the demo. */
  readonly isOffered: boolean;
  /** Milliseconds between checks whether a page is open; without one the demo ends. */
  readonly checkEvery?: number;
}

interface Run {
  readonly source: PageSource;
  status(): DemoStatus;
  stop(): Promise<void>;
}

/** Longer than a reload or a network interruption takes. */
const CHECK_EVERY = 60_000;

type DemoCall = Pick<Context, "env" | "terminal">;

export function openPageDemo(
  call: DemoCall,
  { broadcast, isOffered, checkEvery = CHECK_EVERY }: PageDemoOptions,
): PageDemo {
  let run: Run | undefined;
  let check: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();
  /** Runs changes one after another. */
  const inTurn = (change: () => Promise<void>): Promise<void> => {
    const done = last.then(change);
    last = done.catch(() => undefined);
    return done;
  };
  const report = (error: unknown): void =>
    call.terminal.printError(`waymark: ${redactedMessage(error)}`);
  const resync = (): void => broadcast.publish(RESYNC, {});

  const end = async (): Promise<void> => {
    clearInterval(check);
    const ended = run;
    run = undefined;
    await ended?.stop();
  };
  const play = async (): Promise<void> => {
    if (run && !run.status().over) return;
    await end();
    const started = await startRun(
      call,
      whileShown(broadcast, () => run === started),
      report,
    );
    run = started;
    let wasEmpty = false;
    check = setInterval(() => {
      const isEmpty = broadcast.subscribers === 0;
      if (isEmpty && wasEmpty) inTurn(end).catch(report);
      wasEmpty = isEmpty;
    }, checkEvery);
    check.unref();
    resync();
  };
  const leave = async (): Promise<void> => {
    if (!run) return;
    await end();
    resync();
  };
  const answering =
    (change: () => Promise<void>): Handler =>
    async ({ response }) => {
      if (!isOffered) throw new HttpError(409, "demo_only", "This server shows only the demo.");
      await inTurn(change);
      sendJson(response, 200, {});
    };

  return {
    get source() {
      return run?.source;
    },
    routes: [
      { method: "POST", path: "/api/demo", handle: answering(play) },
      { method: "DELETE", path: "/api/demo", handle: answering(leave) },
    ],
    close: () => inTurn(end),
  };
}

export function demoStatus(playing: Playing): DemoStatus {
  const overAt = playing.overAt();
  return { over: playing.isOver(), ...(overAt !== undefined && { overAt }) };
}

async function startRun(
  { env: outer, terminal }: DemoCall,
  broadcast: Broadcast,
  report: (error: unknown) => void,
): Promise<Run> {
  const { userHome, home, env, close } = openDemoMachine(outer, terminal.printError);
  try {
    const { playDemo } = await import("../../demo/play.ts");
    const tracker = await home.writing();
    const call = { home, env, terminal };
    const feed = await openFeed(call, { userHome, hasLists: true, store: false });
    const playing = playDemo({ home: userHome, tracker }, 1);
    const status = (): DemoStatus => ({ ...demoStatus(playing), canLeave: true });
    const source = pageSource(call, { feed, broadcast, isWritable: true, demo: status });
    playing.finished.then(() => broadcast.publish("demo", status()), report);
    return {
      source,
      status,
      async stop() {
        playing.stop();
        await source.stop();
        feed.stop();
        await playing.finished.catch(() => undefined);
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
