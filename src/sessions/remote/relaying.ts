import type { Event, TrackId } from "../../core/model.ts";
import { trackKey } from "../../core/text/ids.ts";
import { relayedTrackOf } from "../../core/views/relayed.ts";
import { openServer } from "../../engines/postgres/server.ts";
import type { Context } from "../../home/open.ts";
import type { AnyTrack } from "../any-track.ts";
import { type Feed, openFeed } from "../feed.ts";
import type { MachineName } from "./connection.ts";
import type { LocalTrack } from "./relay-update.ts";
import { type Sender, type Sent, startSender } from "./sender.ts";

export interface RelayingOptions {
  readonly store: string;
  readonly machine: MachineName;
  readonly once: boolean;
  onConnected(machine: string): void;
  onSent(sent: Sent): void;
  onWaiting(reason: string, waiting: number): void;
}

export interface Relaying {
  readonly ended: Promise<void>;
  /** Stops following, sends what is pending, and ends. */
  end(): void;
}

const EVERY = 250;
/** Files up to this size are read completely for their histories; those of larger ones start now. */
const MAX_FULL_READ = 16 * 1024 * 1024;

/** Sends the feed of this machine to the shared server. */
export async function openRelaying(
  call: Pick<Context, "home" | "env" | "terminal">,
  { store, machine, once, ...callbacks }: RelayingOptions,
): Promise<Relaying> {
  const feed = await openFeed(call, { every: EVERY, store: false });
  // Nothing is sent before everything was read.
  await feed.ready;
  const sender: Sender = startSender({
    machine,
    once,
    ...callbacks,
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
        // Stays on the server: others may still want to see what was done.
        break;
    }
  });
  return {
    ended: sender.ended.finally(() => feed.stop()),
    end() {
      stop();
      // Includes changes that the feed has not published yet.
      for (const { track } of feed.tracks()) sender.note(trackKey(track));
      sender.end();
    },
  };
}

function sendingOf(feed: Feed, each: AnyTrack): LocalTrack {
  const { session, agent } = each.track;
  const id: TrackId = { session, agent };
  return {
    id,
    get state() {
      return relayedTrackOf(each, each.external?.live);
    },
    async readEvents(): Promise<readonly Event[]> {
      const { hosted, external } = each;
      const size = (external?.units ?? []).flat().reduce((sum, file) => sum + file.size, 0);
      if (!hosted && size > MAX_FULL_READ) return [];
      const events = await (await feed.read(each)).events();
      return hosted ? events.filter(({ seq }) => seq <= each.track.version) : events;
    },
  };
}
