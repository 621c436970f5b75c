import { setTimeout } from "node:timers";
import { emptyTrack } from "../../core/evolve.ts";
import { diff } from "../../core/list/diff.ts";
import type { Event, Track } from "../../core/model.ts";
import { trackKey } from "../../core/text/ids.ts";
import { openServer, type Server } from "../../engines/postgres/server.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";
import { readMachineId } from "../../home/machine-id.ts";
import type { Context } from "../../home/open.ts";
import type { SessionUpdate, Subscriber, Subscription } from "../source.ts";
import { followRelayed, type RelayedTracks, readRelayed, relayedEvents } from "./follow.ts";
import { remoteId } from "./index.ts";
import type { RelayedTrack } from "./received.ts";

/** A subscription that also reads histories over its connection. */
export interface FollowedMachines extends Subscription<RelayedTrack> {
  /** Every change of the list in a row of the server. */
  readEvents(row: number): Promise<readonly Event[]>;
}

type OthersCall = Pick<Context, "home" | "terminal" | "env">;

const RETRY = 5_000;
const CONNECTIONS = 3;
/** A slow server must not hold up what this machine shows. */
const WAIT_LIMIT = 1_000;

/** Follows other machines. An unreachable server is reported once and tried again. */
export function followOthers(
  { home, terminal }: OthersCall,
  store: string,
  { onChange, onUpdates }: Subscriber,
): FollowedMachines {
  const updates = newUpdates();
  let server: Server | undefined;
  let following: RelayedTracks | undefined;
  let retry: NodeJS.Timeout | undefined;
  let stopped = false;
  let reported = "";
  const report = (reason: string): void => {
    if (reason !== reported)
      terminal.printError(`waymark: Other machines are not shown: ${reason}`);
    reported = reason;
  };
  const changed = (): void => {
    const found = updates(following?.tracks() ?? []);
    if (found.length > 0) onUpdates?.(found);
    onChange?.();
  };
  const open = async (): Promise<void> => {
    try {
      server ??= await openServer(store, { connections: CONNECTIONS });
      following = await followRelayed(server, {
        except: readMachineId(home.path),
        onChange: changed,
        onProblem: (reason) =>
          terminal.printError(`waymark: other machines are shown as they were: ${reason}`),
      });
      if (stopped) close();
      else changed();
    } catch (error) {
      report(redactedMessage(error));
      if (!stopped) retry = setTimeout(() => void open(), RETRY);
    }
  };
  const close = (): void => {
    clearTimeout(retry);
    following?.stop();
    void server?.close();
  };
  return {
    ready: open(),
    list: () => following?.tracks() ?? [],
    readEvents: async (row) => (server ? relayedEvents(server, row) : []),
    // The server notifies of every change.
    refresh: () => undefined,
    stop() {
      stopped = true;
      close();
    },
  };
}

/** Compares each read with the one before. The first read causes no update. */
export function newUpdates() {
  let known: ReadonlyMap<string, Track> | undefined;
  return (tracks: readonly RelayedTrack[]): readonly SessionUpdate[] => {
    const before = known;
    const now = tracks.map((each): Track => ({ ...each.live.track, ...remoteId(each) }));
    known = new Map(now.map((track) => [trackKey(track), track]));
    if (!before) return [];
    return now.flatMap((after): readonly SessionUpdate[] => {
      const { session, agent } = after;
      const was = before.get(trackKey(after)) ?? emptyTrack(after);
      const changes = diff(was, after);
      if (changes.length === 0) return [];
      const change = { at: after.updatedAt, changes };
      return [{ id: { session, agent }, change, before: was, after }];
    });
  };
}

/** Reads what other machines relay. If the server cannot be reached, prints why and returns nothing. */
export async function readOthers(
  { home, terminal }: OthersCall,
  store: string,
): Promise<readonly RelayedTrack[]> {
  try {
    return await withServer(store, (server) => readRelayed(server, readMachineId(home.path)));
  } catch (error) {
    terminal.printError(`waymark: Other machines are not shown: ${redactedMessage(error)}`);
    return [];
  }
}

export function readRemoteEvents(store: string, row: number): Promise<readonly Event[]> {
  return withServer(store, (server) => relayedEvents(server, row));
}

async function withServer<T>(store: string, work: (server: Server) => Promise<T>): Promise<T> {
  const server = await openServer(store, { connections: 1, waitLimit: WAIT_LIMIT });
  try {
    return await work(server);
  } finally {
    await server.close();
  }
}
