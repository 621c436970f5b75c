import { createConnection, createServer, type Socket } from "node:net";

/** A way to a server that can be cut at a chosen moment. */
export interface Proxy {
  readonly url: string;
  /**
   * Cuts the connection of the next message that changes something: before the server has it, or
   * after, when only the answer is lost.
   */
  cutNext(when: "before" | "after"): void;
  readonly cuts: { readonly before: number; readonly after: number };
  /** From now on nothing gets through, and nobody is told. */
  swallow(on: boolean): void;
  close(): Promise<void>;
}

// The messages of a change that goes by the extended protocol, and the end of a transaction.
const CHANGES = /waymark\.(claim|finish|keep)_tasks|COMMIT(?!TED)/;

export async function startProxy(target: string): Promise<Proxy> {
  const { port, hostname, username, pathname } = new URL(target);
  const sockets = new Set<Socket>();
  const cuts = { before: 0, after: 0 };
  let armed: "before" | "after" | undefined;
  let swallowing = false;

  const server = createServer((near) => {
    const far = createConnection(Number(port), hostname);
    let deaf = false;
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
        // The server carries it out although nobody hears of it.
        setTimeout(() => far.destroy(), 100).unref();
        return;
      }
      far.write(chunk);
    });
    far.on("data", (chunk) => {
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
