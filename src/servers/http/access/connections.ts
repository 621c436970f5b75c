import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Open connections without a token; more than one user's browsers open. */
const MAX_UNKNOWN = 100;
/** After this many turns of the event loop, all data that arrived with a connection was read. */
const READ_AFTER = 2;

export interface Connections {
  /** Call when a request with a token arrived: the connection is no longer limited. */
  trust(socket: Socket): void;
  /** Call when a request without a token arrived: less recently used connections are closed first. */
  touch(socket: Socket): void;
}

/**
 * Limits the connections on which no token was sent yet. Any local user can open them, and each takes a file handle
 * that the stores and the user's page may need. A new connection replaces the least recently used one. In a flood, a
 * connection stays open until its first request can be read, and newer ones are closed instead.
 */
export function limitConnections(server: Server): Connections {
  /** Least recently used first, with the event loop turn of the last use. */
  const unknown = new Map<Socket, number>();
  let turn = 0;
  let lastUse = 0;
  let isCounting = false;

  /** Counts until every connection was used at least `READ_AFTER` turns ago. */
  const count = (): void => {
    turn++;
    isCounting = turn - lastUse < READ_AFTER;
    if (isCounting) setImmediate(count);
  };
  const use = (socket: Socket): void => {
    unknown.delete(socket);
    unknown.set(socket, turn);
    lastUse = turn;
    if (isCounting) return;
    isCounting = true;
    setImmediate(count);
  };
  server.on("connection", (socket: Socket) => {
    const [oldest] = unknown;
    if (unknown.size < MAX_UNKNOWN || !oldest) use(socket);
    else {
      const [other, used] = oldest;
      const isReplaced = turn - used >= READ_AFTER;
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
