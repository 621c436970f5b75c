import { createConnection, createServer, type Socket } from "node:net";
import { pause } from "../until.ts";

/** A proxy to a server that can be cut at a chosen moment. */
export interface Proxy {
  readonly url: string;
  /**
   * Cuts the connection of the next changing message: before the server receives it, or after, so
   * that only the answer is lost.
   */
  cutNext(when: "before" | "after"): void;
  readonly cuts: { readonly before: number; readonly after: number };
  /** The next connections, this many, are accepted and closed immediately. */
  dismiss(count: number): void;
  readonly dismissed: () => number;
  /** Resets all client connections while the server keeps its side open. */
  forsake(): void;
  /** Drops all traffic silently from now on. */
  swallow(on: boolean): void;
  close(): Promise<void>;
}

// The messages of a change in the extended protocol, and the end of a transaction.
const CHANGES = /waymark\.(claim|finish|keep)_tasks|COMMIT(?!TED)/;

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
  const cuts = { before: 0, after: 0 };
  let armed: "before" | "after" | undefined;
  let swallowing = false;
  let dismissing = 0;
  let dismissed = 0;

  const server = createServer((near) => {
    const far = createConnection(Number(port), hostname);
    let deaf = false;
    let greeted = false;
    const forsake = (): void => {
      deaf = true;
      near.resetAndDestroy();
    };
    connected.add(forsake);
    near.on("close", () => connected.delete(forsake));
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => sockets.delete(socket));
    }
    near.on("data", (chunk) => {
      if (swallowing) return;
      if (armed && CHANGES.test(chunk.toString("latin1"))) {
        const when = armed;
        armed = undefined;
        cuts[when] += 1;
        if (when === "before") {
          near.destroy();
          far.destroy();
          return;
        }
        deaf = true;
        far.write(chunk);
        near.destroy();
        // The server executes it although the answer is lost.
        void pause(100, "time to carry it out").then(() => far.destroy());
        return;
      }
      far.write(chunk);
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
      if (!deaf && !swallowing) near.write(chunk);
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
