import { type FrameStreams, frameTransport } from "./frames.ts";
import { serveStdio } from "./sdk.ts";
import { type ClientServer, type ServerParts, serverFor } from "./server.ts";
import { namesTasks } from "./uris.ts";

/** One client at the other end of two streams. */
export interface Connection {
  /** The client is gone, or `close` was called. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** Serves one client, of the old protocol or the new one: its first message says which. */
export function serveStreams(parts: ServerParts, streams: FrameStreams): Connection {
  let client: ClientServer | undefined;
  const report = (error: Error) => parts.onError?.(error);
  /** Whoever is told that it will hear of changes must hear of the very next one. */
  const listen = (withTasks: boolean): Promise<void> | undefined => {
    if (client) return client.listen(withTasks);
    // The first message of all makes the server that is to listen.
    setImmediate(() => client?.listen(withTasks).catch(report));
    return undefined;
  };
  const wire = frameTransport({
    ...streams,
    before: (message) =>
      "method" in message && message.method === "subscriptions/listen"
        ? listen(namesTasks(message.params))
        : undefined,
  });
  const handle = serveStdio(
    ({ era }) => {
      client = serverFor(parts, era);
      return client.server;
    },
    { transport: wire, onerror: report },
  );
  const { onclose } = wire;
  const closed = new Promise<void>((resolve) => {
    wire.onclose = () => {
      onclose?.();
      resolve();
    };
  });
  return { closed, close: () => handle.close() };
}
