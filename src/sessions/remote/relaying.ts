import type { Event, TrackId } from "../../core/model.ts";
import { trackKey } from "../../core/text/ids.ts";
import { relayedOf } from "../../core/views/relayed.ts";
import { openServer } from "../../engines/postgres/server.ts";
import type { Context } from "../../home/open.ts";
import type { AnyTrack } from "../any-track.ts";
import { type Feed, openFeed } from "../feed.ts";
import type { MachineName } from "./connection.ts";
import type { Sending } from "./parcel.ts";
import { type Sender, type Sent, startSender } from "./sender.ts";

export interface RelayingOptions {
  readonly store: string;
  readonly machine: MachineName;
  readonly once: boolean;
  onLine(machine: string): void;
  onSent(sent: Sent): void;
  onWaiting(reason: string, waiting: number): void;
}

export interface Relaying {
  readonly ended: Promise<void>;
  /** Stops reading, sends what was read, and ends. */
  end(): void;
}

/** Often enough for people who look on from elsewhere. */
const EVERY = 250;
/** Files up to this size are read whole for the past of their lists; of longer ones it begins now. */
const WHOLE = 16 * 1024 * 1024;

/** What this machine's boards show, sent to the server that machines share. */
export async function openRelaying(
  call: Pick<Context, "home" | "env" | "terminal">,
  { store, machine, once, ...told }: RelayingOptions,
): Promise<Relaying> {
  const feed = await openFeed(call, { every: EVERY, store: false });
  // What is known only in part is not worth sending.
  await feed.ready;
  const sender: Sender = startSender({
    machine,
    once,
    ...told,
    openServer: () => openServer(store, { connections: 3, waitLimit: 2_000 }),
    keyOf: trackKey,
    tracks: () => feed.tracks().map((each) => [trackKey(each.track), sendingOf(feed, each)]),
  });
  const stop = feed.subscribe((change) => {
    switch (change.type) {
      case "event":
        sender.note(trackKey(change.id), change.event);
        break;
      case "opened":
        sender.note(trackKey(change.track.track));
        break;
      case "status":
        sender.note(trackKey(change.status.id));
        break;
      case "gone":
        // Others may still want to see what was done: it stays on the server.
        break;
    }
  });
  return {
    ended: sender.ended.finally(() => feed.stop()),
    end() {
      stop();
      // Also what was read and not told yet.
      for (const { track } of feed.tracks()) sender.note(trackKey(track));
      sender.end();
    },
  };
}

function sendingOf(feed: Feed, each: AnyTrack): Sending {
  const { session, agent } = each.track;
  const id: TrackId = { session, agent };
  return {
    id,
    get state() {
      return relayedOf(each, each.foreign?.live);
    },
    async past(): Promise<readonly Event[]> {
      const { hosted, foreign } = each;
      const size = (foreign?.units ?? []).flat().reduce((sum, file) => sum + file.size, 0);
      if (!hosted && size > WHOLE) return [];
      const events = await (await feed.read(each)).events();
      return hosted ? events.filter(({ seq }) => seq <= each.track.version) : events;
    },
  };
}
