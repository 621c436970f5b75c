import { setTimeout } from "node:timers";
import { stallPolicyFromEnv } from "../../core/activity/stall.ts";
import type { Event } from "../../core/model.ts";
import { joinRelayed } from "../../core/views/relayed.ts";
import { openServer, type Server } from "../../engines/postgres/server.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";
import { knownMachineId } from "../../home/machine-id.ts";
import type { Context } from "../../home/open.ts";
import type { AnyTrack } from "../any-track.ts";
import { followRelayed, type RelayedTracks, readRelayed, relayedEvents } from "./follow.ts";

/** What other machines relay, as far as the server can be reached. */
export interface OtherMachines {
  /** It was read once, or the server is away. */
  readonly ready: Promise<void>;
  tracks(now: number): readonly AnyTrack[];
  /** All that happened to the list of a track. */
  past(track: AnyTrack): Promise<readonly Event[]>;
  stop(): void;
}

type OthersCall = Pick<Context, "home" | "terminal" | "env">;

const AGAIN = 5_000;
const CONNECTIONS = 3;
/** Whoever wants to see this machine need not wait long for others. */
const PATIENCE = 1_000;

/** A server that is away takes nothing from what this machine shows: it is said once and tried again. */
export function followOthers(
  { home, terminal, env }: OthersCall,
  store: string,
  onChange: () => void,
): OtherMachines {
  const policy = stallPolicyFromEnv(env);
  let server: Server | undefined;
  let following: RelayedTracks | undefined;
  let again: NodeJS.Timeout | undefined;
  let stopped = false;
  let said = "";
  const say = (reason: string): void => {
    if (reason !== said) terminal.say(`waymark: other machines are left out: ${reason}`);
    said = reason;
  };
  const open = async (): Promise<void> => {
    try {
      server ??= await openServer(store, { connections: CONNECTIONS });
      following = await followRelayed(server, {
        except: knownMachineId(home.path),
        onChange,
        onProblem: (reason) =>
          terminal.say(`waymark: other machines are shown as they were: ${reason}`),
      });
      if (stopped) close();
      else onChange();
    } catch (error) {
      say(redactedMessage(error));
      if (!stopped) again = setTimeout(() => void open(), AGAIN);
    }
  };
  const close = (): void => {
    clearTimeout(again);
    following?.stop();
    void server?.close();
  };
  return {
    ready: open(),
    tracks: (now) => joinRelayed(following?.tracks() ?? [], now, policy),
    past: async ({ relayed }) => (relayed && server ? relayedEvents(server, relayed.row) : []),
    stop() {
      stopped = true;
      close();
    },
  };
}

/** The same for those who look once. */
export async function readOthers(
  { home, terminal, env }: OthersCall,
  store: string,
  now: number,
): Promise<readonly AnyTrack[]> {
  const policy = stallPolicyFromEnv(env);
  try {
    return await withServer(store, async (server) =>
      joinRelayed(await readRelayed(server, knownMachineId(home.path)), now, policy),
    );
  } catch (error) {
    terminal.say(`waymark: other machines are left out: ${redactedMessage(error)}`);
    return [];
  }
}

export function pastElsewhere(store: string, row: number): Promise<readonly Event[]> {
  return withServer(store, (server) => relayedEvents(server, row));
}

async function withServer<T>(store: string, work: (server: Server) => Promise<T>): Promise<T> {
  const server = await openServer(store, { connections: 1, waitLimit: PATIENCE });
  try {
    return await work(server);
  } finally {
    await server.close();
  }
}
