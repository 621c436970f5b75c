import type { DemoStatus } from "../../core/wire.ts";
import { openDemoPlace } from "../../demo/home.ts";
import type { Playing } from "../../demo/play.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";
import type { Context } from "../../home/open.ts";
import { openFeed } from "../../sessions/feed.ts";
import type { Broadcast } from "./broadcast.ts";
import { type PageSource, pageSource, whileShown } from "./page-source.ts";
import { type Handler, HttpError, type Route, sendJson } from "./routes.ts";

/** Plays the recorded demo on a running page, in place of the user's own sessions, until the user leaves it. */
export interface PageDemo {
  /** What the page shows meanwhile; undefined while it shows the user's own sessions. */
  readonly source: PageSource | undefined;
  readonly routes: readonly Route[];
  close(): Promise<void>;
}

export interface PageDemoOptions {
  readonly broadcast: Broadcast;
  /** False on a server that shows nothing but the demo. */
  readonly isOffered: boolean;
  /** Milliseconds between two checks whether a page is open: without one the demo ends. */
  readonly checkEvery?: number;
}

interface Run {
  readonly source: PageSource;
  status(): DemoStatus;
  stop(): Promise<void>;
}

/** A reload or a network problem takes less. */
const CHECK_EVERY = 60_000;

type DemoCall = Pick<Context, "env" | "terminal">;

export function openPageDemo(
  call: DemoCall,
  { broadcast, isOffered, checkEvery = CHECK_EVERY }: PageDemoOptions,
): PageDemo {
  let run: Run | undefined;
  let check: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();
  /** One change at a time. */
  const inTurn = (change: () => Promise<void>): Promise<void> => {
    const done = last.then(change);
    last = done.catch(() => undefined);
    return done;
  };
  const report = (error: unknown): void => call.terminal.say(`waymark: ${redactedMessage(error)}`);
  /** Every page reads everything again. */
  const resync = (): void => broadcast.say("anew", {});

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
      const isEmpty = broadcast.listeners === 0;
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
      if (!isOffered)
        throw new HttpError(409, "demo_only", "This server shows the demo and nothing else.");
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
  const { userHome, home, env, close } = openDemoPlace(outer, terminal.say);
  try {
    const { playDemo } = await import("../../demo/play.ts");
    const tracker = await home.writing();
    const call = { home, env, terminal };
    const feed = await openFeed(call, { userHome, hasLists: true, store: false });
    const playing = playDemo({ home: userHome, tracker }, 1);
    const status = (): DemoStatus => ({ ...demoStatus(playing), canLeave: true });
    const source = pageSource(call, { feed, broadcast, isWritable: true, demo: status });
    playing.finished.then(() => broadcast.say("demo", status()), report);
    return {
      source,
      status,
      async stop() {
        playing.stop();
        source.stop();
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
