import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Connections without a token that are open at the same time; more than the browsers of one user open. */
const MAX_UNKNOWN = 100;

export interface Connections {
  /** A request with a token arrived on it: it is no longer limited. */
  trust(socket: Socket): void;
  /** A request without a token arrived on it: others are closed first. */
  touch(socket: Socket): void;
}

/**
 * Limits the connections on which no token was sent yet. Anybody on this machine can open those, and each takes a file
 * handle, of which the stores and the user's page need some, too. A new connection replaces the least recently used one.
 * In a flood a connection stays open for long enough that its first request can be read; newer ones are closed.
 */
export function limitConnections(server: Server): Connections {
  /** The least recently used first, with the turn of the event loop when it was used. */
  const unknown = new Map<Socket, number>();
  let turn = 0;
  let isCounting = false;

  const use = (socket: Socket): void => {
    unknown.delete(socket);
    unknown.set(socket, turn);
    if (isCounting) return;
    isCounting = true;
    setImmediate(() => {
      turn++;
      isCounting = false;
    });
  };
  server.on("connection", (socket: Socket) => {
    const [oldest] = unknown;
    if (unknown.size < MAX_UNKNOWN || !oldest) use(socket);
    else {
      const [other, used] = oldest;
      // Two turns later everything that had arrived with the connection was read.
      const isReplaced = turn - used >= 2;
      (isReplaced ? other : socket).destroy();
      if (!isReplaced) return;
      unknown.delete(other);
      use(socket);
    }
    socket.once("close", () => unknown.delete(socket));
  });
  return {
    trust: (socket) => void unknown.delete(socket),
    touch(socket) {
      if (unknown.has(socket)) use(socket);
    },
  };
}
