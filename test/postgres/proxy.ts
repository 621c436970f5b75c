import { createConnection, createServer, type Socket } from "node:net";
import { pause } from "../until.ts";

/** A proxy to a server that can be cut at a chosen moment. */
export interface Proxy {
  readonly url: string;
  /**
   * Cuts the connection of the next changing message: before the server receives it, or after, so
   * that only the answer is lost. `late`: the server receives the end of a transaction
   * while the client tries again.
   */
  cutNext(when: "before" | "after" | "late"): void;
  readonly cuts: { readonly before: number; readonly after: number; readonly late: number };
  /** The next connections, this many, are accepted and closed immediately. */
  dismiss(count: number): void;
  readonly dismissed: () => number;
  /** Resets all client connections while the server keeps its side open. */
  forsake(): void;
  /** Drops all traffic silently from now on. */
  swallow(on: boolean): void;
  /** Holds each message back for this long, also after its sender has left. */
  delay(milliseconds: number): void;
  /** Ends all of that, and what is left of broken connections. */
  heal(): void;
  close(): Promise<void>;
}

// The messages of a change in the extended protocol, and the end of a transaction.
const CHANGES = /waymark\.(claim|finish|keep)_tasks|'observation'|COMMIT(?!TED)/;

const COMMIT = /COMMIT(?!TED)/;

/** Milliseconds. The client tries again immediately. */
const LATE = 300;

/** The messages ReadyForQuery and connection end. */
const READY = Buffer.from("5a0000000549", "hex");
const GOODBYE = errorMessage({ S: "FATAL", V: "FATAL", C: "57P01", M: "terminating connection" });

function errorMessage(fields: Readonly<Record<string, string>>): Buffer {
  const printed = Object.entries(fields).map(([name, text]) => `${name}${text}\0`);
  const body = Buffer.from(`${printed.join("")}\0`);
  const head = Buffer.alloc(5, "E");
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

export async function startProxy(target: string): Promise<Proxy> {
  const { port, hostname, username, pathname } = new URL(target);
  const sockets = new Set<Socket>();
  const connected = new Set<() => void>();
  const forsaken = new Set<Socket>();
  const cuts = { before: 0, after: 0, late: 0 };
  let armed: "before" | "after" | "late" | undefined;
  let swallowing = false;
  let delay = 0;
  let dismissing = 0;
  let dismissed = 0;

  /** Keeps the order of messages while the delay changes. */
  function delayed(write: (chunk: Buffer) => void): (chunk: Buffer) => void {
    let waiting = 0;
    let last = Promise.resolve();
    return (chunk) => {
      if (delay === 0 && waiting === 0) return write(chunk);
      waiting += 1;
      last = last
        .then(() => pause(delay, "a slow network"))
        .then(() => {
          waiting -= 1;
          write(chunk);
        });
    };
  }

  const server = createServer((near) => {
    const far = createConnection(Number(port), hostname);
    let deaf = false;
    let greeted = false;
    const forsake = (): void => {
      deaf = true;
      forsaken.add(far);
      near.resetAndDestroy();
    };
    const toServer = delayed((chunk) => far.write(chunk));
    const toClient = delayed((chunk) => {
      if (!deaf) near.write(chunk);
    });
    connected.add(forsake);
    near.on("close", () => connected.delete(forsake));
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => sockets.delete(socket));
    }
    near.on("data", (chunk) => {
      if (swallowing) return;
      if (armed && (armed === "late" ? COMMIT : CHANGES).test(chunk.toString("latin1"))) {
        const when = armed;
        armed = undefined;
        cuts[when] += 1;
        if (when === "before") {
          near.destroy();
          far.destroy();
          return;
        }
        deaf = true;
        near.destroy();
        // The server executes it although the answer is lost.
        void pause(when === "late" ? LATE : 0, "a slow network")
          .then(() => far.write(chunk))
          .then(() => pause(100, "time to carry it out"))
          .then(() => far.destroy());
        return;
      }
      toServer(chunk);
    });
    far.on("data", (chunk) => {
      if (!greeted && chunk.subarray(-READY.length).equals(READY)) {
        greeted = true;
        if (dismissing > 0) {
          dismissing -= 1;
          dismissed += 1;
          near.end(Buffer.concat([chunk, GOODBYE]));
          return;
        }
      }
      if (!deaf && !swallowing) toClient(chunk);
    });
    near.on("close", () => {
      if (!deaf) far.destroy();
    });
    far.on("close", () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const own = typeof address === "object" && address ? address.port : 0;
  return {
    url: `postgres://${username}@127.0.0.1:${own}${pathname}`,
    cutNext(when) {
      armed = when;
    },
    cuts,
    dismiss(count) {
      dismissing = count;
    },
    dismissed: () => dismissed,
    forsake() {
      for (const forsake of connected) forsake();
    },
    delay(milliseconds) {
      delay = milliseconds;
    },
    heal() {
      armed = undefined;
      swallowing = false;
      delay = 0;
      for (const far of forsaken) far.destroy();
      forsaken.clear();
    },
    swallow(on) {
      swallowing = on;
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
