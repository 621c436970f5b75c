import { TRY_AGAIN } from "./readings.ts";

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
const TYPES = ["event", "opened", "status", "gone", "tasks", "demo"];

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
      onLink(link);
    }
    order.hear(word);
  };
  const tell = (word: Word): void => {
    channel?.postMessage(word);
    hear(word);
  };
  const tellLink = (now: Link): void => tell({ link: now, position: order.position });

  /** Ends when the server refuses; from all else the browser comes back by itself. */
  const follow = (): Promise<void> =>
    new Promise((resolve) => {
      const source = new EventSource(`/api/events?after=${encodeURIComponent(order.position)}`);
      isHolder = true;
      for (const type of TYPES)
        source.addEventListener(type, ({ data, lastEventId }: MessageEvent<string>) =>
          tell({ type, data, position: lastEventId }),
        );
      source.addEventListener("anew", ({ lastEventId }) => tell({ position: lastEventId }));
      source.addEventListener("open", () => tellLink({ state: "live" }));
      source.addEventListener("error", () => {
        if (link.state !== "lost")
          tellLink({ state: "lost", since: Date.now(), why: "The link to the server is gone." });
        if (source.readyState !== EventSource.CLOSED) return;
        isHolder = false;
        resolve();
      });
    });
  const begin = async (): Promise<void> => {
    channel?.postMessage("how is the link?" satisfies Word);
    for (;;) {
      // Who is refused lets the next one try.
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
