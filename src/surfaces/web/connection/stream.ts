import { SIGNED_OUT } from "./api.ts";
import { eventsIn } from "./event-stream.ts";
import { TRY_AGAIN } from "./readings.ts";
import { fetchSigned, forgetServer, SignedOut } from "./session.ts";

/** Whether what is shown is what there is. */
export type Link =
  | { readonly state: "opening" }
  | { readonly state: "live" }
  | { readonly state: "lost"; readonly since: number; readonly why: string };

interface Hearer {
  take(type: string, data: unknown): void;
  /** Something was missed. */
  readAnew(): void;
}

interface StreamParts extends Hearer {
  onLink(link: Link): void;
}

export interface Stream {
  /** What is told from now on is kept until it is known what was read. */
  wait(): void;
  /** What was read is as of this position. */
  goOn(position: string): void;
}

/** What the server says; without a type, only how far it has come. */
interface Said {
  readonly position: string;
  readonly type?: string;
  readonly data?: string;
}

/** What the pages of a browser say to each other. */
type Word = Said | (Pick<Said, "position"> & { readonly link: Link }) | "how is the link?";

const NAME = "waymark-stream";
const TYPES = ["event", "opened", "status", "gone", "tasks", "demo", "problem"];

/**
 * What the server tells. A browser opens six connections to a server for all of its pages together:
 * one page holds the stream and tells the others, and when it is closed the next one takes its place.
 */
export function openStream({ onLink, ...hearer }: StreamParts): Stream {
  const order = openOrder(hearer);
  const channel = "locks" in navigator ? new BroadcastChannel(NAME) : undefined;
  let link: Link = { state: "opening" };
  let isHolder = false;
  let hasBegun = false;

  const hear = (word: Word): void => {
    if (word === "how is the link?") {
      if (isHolder) channel?.postMessage({ link, position: order.position } satisfies Word);
      return;
    }
    if ("link" in word) {
      link = word.link;
      if (link.state === "lost") forgetServer();
      onLink(link);
    }
    order.hear(word);
  };
  const tell = (word: Word): void => {
    channel?.postMessage(word);
    hear(word);
  };
  const tellLink = (now: Link): void => tell({ link: now, position: order.position });

  /** Ends when the server refuses, or is away. */
  const follow = async (): Promise<void> => {
    isHolder = true;
    let why = "Lost the connection to the server.";
    try {
      const path = `/api/events?after=${encodeURIComponent(order.position)}`;
      const answer = await fetchSigned(path, { cache: "no-store" }).catch((error: unknown) => {
        if (error instanceof SignedOut) why = SIGNED_OUT;
      });
      if (!answer?.ok || !answer.body) return;
      tellLink({ state: "live" });
      for await (const { type, data, id } of eventsIn(answer.body))
        if (type === "anew") tell({ position: id });
        else if (TYPES.includes(type)) tell({ type, data, position: id });
    } finally {
      const since = link.state === "lost" ? link.since : Date.now();
      if (link.state !== "lost" || link.why !== why) tellLink({ state: "lost", since, why });
      isHolder = false;
    }
  };
  const begin = async (): Promise<void> => {
    channel?.postMessage("how is the link?" satisfies Word);
    for (;;) {
      // The next page tries, too.
      await (channel ? navigator.locks.request(NAME, follow) : follow());
      await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN));
    }
  };

  // Before anything is read: what is told meanwhile is not missed.
  channel?.addEventListener("message", ({ data }: MessageEvent<Word>) => hear(data));
  return {
    wait: order.wait,
    goOn(position) {
      order.goOn(position);
      if (hasBegun) return;
      hasBegun = true;
      void begin();
    },
  };
}

/** Takes everything once and in order, whoever told it, and knows when something was left out. */
function openOrder({ take, readAnew }: Hearer) {
  let position = "";
  let waiting: Said[] | undefined = [];

  const hear = (said: Said): void => {
    if (waiting) {
      waiting.push(said);
      return;
    }
    const steps = stepsTo(position, said.position);
    if (steps <= 0) return;
    if (steps === 1 && said.type !== undefined) {
      position = said.position;
      take(said.type, JSON.parse(said.data ?? ""));
    } else {
      waiting = [];
      readAnew();
    }
  };
  return {
    get position() {
      return position;
    },
    hear,
    wait() {
      waiting = [];
    },
    goOn(read: string) {
      const told = waiting ?? [];
      position = read;
      waiting = undefined;
      for (const each of told) hear(each);
    },
  };
}

/** A position is the era of the server and a number, which grows by one with everything it says. */
function stepsTo(from: string, to: string): number {
  const [era, place] = from.split(".");
  const [next, further] = to.split(".");
  return era === next ? Number(further) - Number(place) : Number.POSITIVE_INFINITY;
}
