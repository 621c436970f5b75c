import type { Connection, Server } from "./server.ts";

/** Listens to a channel over a connection of its own. */
export interface NotificationListener {
  /** Call it again at intervals: it replaces a broken connection. */
  start(): void;
  stop(): void;
}

/** Notifications can be lost: the caller polls as well. */
export function createListener(
  server: Server,
  channel: string,
  wake: () => void,
): NotificationListener {
  let isStarted = false;
  let connecting = false;
  let connection: Connection | undefined;

  async function listen(): Promise<void> {
    if (connecting || connection) return;
    connecting = true;
    try {
      const client = await server.connect();
      client.once("error", () => {
        if (connection === client) connection = undefined;
        client.release(true);
      });
      client.on("notification", wake);
      connection = client;
      await client.query(`LISTEN ${channel}`);
      if (!isStarted) disconnect();
    } catch {
      // The next `start` tries again; until then, polling finds what is new.
      disconnect();
    } finally {
      connecting = false;
    }
  }

  function disconnect(): void {
    const client = connection;
    connection = undefined;
    if (!client) return;
    client.removeAllListeners("notification");
    client.removeAllListeners("error");
    client.on("error", () => undefined);
    client.release(true);
  }

  return {
    start() {
      isStarted = true;
      void listen();
    },
    stop() {
      isStarted = false;
      disconnect();
    },
  };
}

/** Sends a notification outside of any transaction: inside, NOTIFY serializes all commits of the server. */
export async function notify(server: Server, channel: string): Promise<void> {
  await server
    // A notification need not be durable.
    .once((query) =>
      query("SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, '')", [channel]),
    )
    .catch(() => {
      // Listeners poll anyway.
    });
}
