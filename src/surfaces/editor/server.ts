import { type ChildProcess, spawn } from "node:child_process";
import { errorMessage } from "../../core/error.ts";
import type { Op, TrackId } from "../../core/model.ts";
import { trackKey } from "../../core/text/ids.ts";
import { applyFeedChange, type FeedChange } from "../../core/views/changes.ts";
import type { MergedTrack } from "../../core/views/merged.ts";
import { type TracksResponse, trackPath } from "../../core/wire.ts";
import { eventsIn } from "../web/connection/event-stream.ts";

export type Connection =
  | { readonly state: "connecting" | "live" }
  | { readonly state: "lost"; readonly why: string };

/** The sessions of `waymark serve`: of the server that runs, or of one that this starts. */
export interface Follower {
  readonly tracks: ReadonlyMap<string, MergedTrack>;
  readonly connection: Connection;
  /** Changes a list as the user. */
  edit(id: TrackId, ops: readonly Op[]): Promise<void>;
  /** A one-time link that signs in a browser and opens a path of the page. */
  linkTo(path: string): Promise<string>;
  /** Connects now. */
  retry(): void;
  /** Ends the server, if this started it. */
  close(): void;
}

export interface FollowerOptions {
  /** The program and its arguments. */
  readonly command: () => readonly [string, ...string[]];
  /** Called after changes, at most every `EVERY` milliseconds. */
  readonly onChange: () => void;
}

const LOST = "Lost the connection to the server.";
const EVERY = 250;
const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 30_000;
const TIMEOUT = 15_000;
const STARTS_WITHIN = 30_000;
const FEED: ReadonlySet<string> = new Set<FeedChange["type"]>([
  "event",
  "opened",
  "status",
  "gone",
]);

interface Server {
  readonly url: string;
  readonly token: string;
}

export function followServer({ command, onChange }: FollowerOptions): Follower {
  let tracks: ReadonlyMap<string, MergedTrack> = new Map();
  let connection: Connection = { state: "connecting" };
  let server: Server | undefined;
  let child: ChildProcess | undefined;
  let wait = FIRST_WAIT;
  let wake = () => {};
  let notice: ReturnType<typeof setTimeout> | undefined;
  const closing = new AbortController();

  const changed = (): void => {
    notice ??= setTimeout(() => {
      notice = undefined;
      onChange();
    }, EVERY);
  };
  const become = (next: Connection): void => {
    connection = next;
    changed();
  };
  const request = async (path: string, init: RequestInit = {}): Promise<Response> => {
    if (!server) throw new Error("The server is not running.");
    const { url, token } = server;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const signal = init.signal ?? AbortSignal.timeout(TIMEOUT);
    const response = await fetch(new URL(path, url), { ...init, headers, signal }).catch(() => {
      throw new Error(LOST);
    });
    if (response.ok) return response;
    const body = (await response.json().catch(() => ({}))) as { readonly message?: string };
    throw new Error(body.message ?? `The server returned HTTP ${response.status}.`);
  };
  const start = async (): Promise<Server> => {
    const [program, ...args] = command();
    // Prints the address of the running server and ends, or becomes the server.
    const started = spawn(program, [...args, "serve", "--no-open", "--json"], {
      stdio: ["ignore", "pipe", "pipe"],
      // Programs from npm are scripts there.
      shell: process.platform === "win32",
    });
    child = started;
    return addressOf(started);
  };
  /** Returns when the connection ends. */
  const follow = async (): Promise<void> => {
    server = await start();
    for (;;) {
      const snapshot = (await (await request("/api/tracks")).json()) as TracksResponse;
      tracks = new Map(snapshot.tracks.map((each) => [trackKey(each.track), each]));
      wait = FIRST_WAIT;
      become({ state: "live" });
      const after = encodeURIComponent(snapshot.position);
      const { signal } = closing;
      const { body } = await request(`/api/events?after=${after}`, { signal });
      if (!body || !(await applyAll(body as ReadableStream<Uint8Array<ArrayBuffer>>))) return;
    }
  };
  /** Whether events were missed, and the sessions have to be loaded again. */
  const applyAll = async (body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<boolean> => {
    for await (const { type, data } of eventsIn(body)) {
      if (type === "resync") return true;
      if (!FEED.has(type)) continue;
      tracks = applyFeedChange(tracks, { ...JSON.parse(data), type } as FeedChange);
      changed();
    }
    return false;
  };
  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const why = await follow().then(() => LOST, errorMessage);
      if (closing.signal.aborted) return;
      child?.kill();
      become({ state: "lost", why });
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, wait);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      wait = Math.min(wait * 2, LONGEST_WAIT);
    }
  };
  void run();

  return {
    get tracks() {
      return tracks;
    },
    get connection() {
      return connection;
    },
    async edit(id, ops) {
      const path = `/api/tracks/${encodeURIComponent(trackPath(id))}/ops`;
      const body = JSON.stringify({ ops, key: `editor-${crypto.randomUUID()}` });
      await request(path, { method: "POST", body });
    },
    async linkTo(path) {
      const query = new URLSearchParams({ to: path });
      const response = await request(`/api/codes?${query}`, { method: "POST", body: "{}" });
      return ((await response.json()) as { readonly url: string }).url;
    },
    retry() {
      wait = FIRST_WAIT;
      wake();
    },
    close() {
      closing.abort();
      clearTimeout(notice);
      wake();
      child?.kill();
    },
  };
}

/** The address that a started program prints. Rejects with the reason if it did not start. */
function addressOf(child: ChildProcess): Promise<Server> {
  return new Promise((resolve, reject) => {
    let printed = "";
    let problem = "";
    const timer = setTimeout(() => {
      child.kill();
      reject(new Error("`waymark serve` did not start within 30 s."));
    }, STARTS_WITHIN);
    child.stdout?.setEncoding("utf8").on("data", (text) => {
      printed += text;
      const end = printed.indexOf("\n");
      if (end === -1) return;
      clearTimeout(timer);
      try {
        resolve(JSON.parse(printed.slice(0, end)) as Server);
      } catch {
        reject(new Error("`waymark serve --json` printed no address. Update Waymark."));
      }
    });
    child.stderr?.setEncoding("utf8").on("data", (text) => {
      problem = (problem + text).slice(-1_000);
    });
    child.once("error", (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      reject(
        error.code === "ENOENT"
          ? new Error(
              `Can't find ${child.spawnfile}. Install it with \`npm install --global waymark\`, or set waymark.command.`,
            )
          : error,
      );
    });
    child.once("close", (code) => {
      clearTimeout(timer);
      reject(new Error(problem.trim() || `\`waymark serve\` ended with ${code}.`));
    });
  });
}
