import { SIGNED_OUT } from "./api.ts";
import { eventsIn } from "./event-stream.ts";
import { RETRY_MS } from "./loader.ts";
import { fetchSigned, forgetServer, SignedOut } from "./session.ts";

/** Whether the page is connected to the server's event stream. */
export type ConnectionState =
  | { readonly state: "connecting" }
  | { readonly state: "live" }
  | { readonly state: "lost"; readonly since: number; readonly why: string };

interface StreamHandler {
  take(type: string, data: unknown): void;
  /** Events were missed: load everything again. */
  resync(): void;
}

interface StreamOptions extends StreamHandler {
  onConnection(connection: ConnectionState): void;
}

export interface Stream {
  /** Buffers events until `resume`. Call before loading a snapshot. */
  pause(): void;
  /** Continues after the position of the loaded snapshot. */
  resume(position: string): void;
}

/** An event of the server; without a type, only its position. */
interface StreamMessage {
  readonly position: string;
  readonly type?: string;
  readonly data?: string;
}

/** A message between tabs: an event, the leader's connection state, or a request for that state. */
type TabMessage =
  | StreamMessage
  | (Pick<StreamMessage, "position"> & { readonly connection: ConnectionState })
  | typeof STATE_REQUEST;

const STATE_REQUEST = "connection state?";
/** Name of the channel and of the lock. Change it with the messages: tabs of two versions may be open. */
const NAME = "waymark-events";
const TYPES = ["verify", "event", "opened", "status", "gone", "tasks", "demo", "problem"];

/**
 * The event stream of the server, shared by all tabs: browsers allow six connections per server. One tab, the leader,
 * reads the stream and forwards it over a `BroadcastChannel`; a Web Lock elects the next leader.
 */
export function openStream({ onConnection, ...handler }: StreamOptions): Stream {
  const sequencer = openSequencer(handler);
  const channel = "locks" in navigator ? new BroadcastChannel(NAME) : undefined;
  let connection: ConnectionState = { state: "connecting" };
  let isLeader = false;
  let isStarted = false;

  const receive = (message: TabMessage): void => {
    if (message === STATE_REQUEST) {
      if (isLeader)
        channel?.postMessage({
          connection,
          position: sequencer.position,
        } satisfies TabMessage);
      return;
    }
    if ("connection" in message) {
      connection = message.connection;
      if (connection.state === "lost") forgetServer();
      onConnection(connection);
    }
    sequencer.receive(message);
  };
  const broadcast = (message: TabMessage): void => {
    channel?.postMessage(message);
    receive(message);
  };
  const setConnection = (next: ConnectionState): void =>
    broadcast({ connection: next, position: sequencer.position });

  /** Returns when the connection fails or ends. */
  const follow = async (): Promise<void> => {
    isLeader = true;
    let why = "Lost the connection to the server.";
    try {
      const path = `/api/events?after=${encodeURIComponent(sequencer.position)}`;
      const answer = await fetchSigned(path, { cache: "no-store" }).catch((error: unknown) => {
        if (error instanceof SignedOut) why = SIGNED_OUT;
      });
      if (!answer?.ok || !answer.body) return;
      setConnection({ state: "live" });
      for await (const { type, data, id } of eventsIn(answer.body))
        if (type === "resync") broadcast({ position: id });
        else if (TYPES.includes(type)) broadcast({ type, data, position: id });
    } finally {
      const since = connection.state === "lost" ? connection.since : Date.now();
      if (connection.state !== "lost" || connection.why !== why)
        setConnection({ state: "lost", since, why });
      isLeader = false;
    }
  };
  const start = async (): Promise<void> => {
    channel?.postMessage(STATE_REQUEST satisfies TabMessage);
    for (;;) {
      // Another tab may become the leader meanwhile.
      await (channel ? navigator.locks.request(NAME, follow) : follow());
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  };

  // Subscribe before loading the snapshot, so that no event is missed.
  channel?.addEventListener("message", ({ data }: MessageEvent<TabMessage>) => receive(data));
  return {
    pause: sequencer.pause,
    resume(position) {
      sequencer.resume(position);
      if (isStarted) return;
      isStarted = true;
      void start();
    },
  };
}

/** Delivers each event once and in order, whichever tab received it, and detects gaps. */
function openSequencer({ take, resync }: StreamHandler) {
  let position = "";
  /** Buffered events while paused. */
  let buffer: StreamMessage[] | undefined = [];

  const receive = (message: StreamMessage): void => {
    if (buffer) {
      buffer.push(message);
      return;
    }
    const steps = stepsBetween(position, message.position);
    if (steps <= 0) return;
    if (steps === 1 && message.type !== undefined) {
      position = message.position;
      take(message.type, JSON.parse(message.data ?? ""));
    } else {
      buffer = [];
      resync();
    }
  };
  return {
    get position() {
      return position;
    },
    receive,
    pause() {
      buffer = [];
    },
    resume(from: string) {
      const buffered = buffer ?? [];
      position = from;
      buffer = undefined;
      for (const message of buffered) receive(message);
    },
  };
}

/** A position is `ERA.NUMBER`: the server's run and a number that increases by one with each event. */
function stepsBetween(from: string, to: string): number {
  const [fromEra, fromNumber] = from.split(".");
  const [toEra, toNumber] = to.split(".");
  return fromEra === toEra ? Number(toNumber) - Number(fromNumber) : Number.POSITIVE_INFINITY;
}
