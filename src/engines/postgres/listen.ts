import type { Connection, Server } from "./server.ts";

/** Hears the notices of a channel over a connection of its own, as long as there is one. */
export interface Listening {
  /** To be called again from time to time: a connection that broke is replaced. */
  begin(): void;
  end(): void;
}

/** A notice is a wake-up and can be lost: whoever listens also looks at an interval. */
export function createListening(server: Server, channel: string, wake: () => void): Listening {
  let wanted = false;
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
      if (!wanted) hangUp();
    } catch {
      // The next look tries again; until then it alone finds what is new.
      hangUp();
    } finally {
      connecting = false;
    }
  }

  function hangUp(): void {
    const client = connection;
    connection = undefined;
    if (!client) return;
    client.removeAllListeners("notification");
    client.removeAllListeners("error");
    client.on("error", () => undefined);
    client.release(true);
  }

  return {
    begin() {
      wanted = true;
      void listen();
    },
    end() {
      wanted = false;
      hangUp();
    },
  };
}

/** Sent beside the changes: within them it would make all commits of the server wait for each other. */
export async function notify(server: Server, channel: string): Promise<void> {
  await server
    // A wake-up need not outlive a crash: it waits for no disk.
    .once((query) =>
      query("SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, '')", [channel]),
    )
    .catch(() => {
      // Whoever watches looks at the interval anyway.
    });
}
