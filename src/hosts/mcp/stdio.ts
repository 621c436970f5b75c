import { type FrameStreams, frameTransport } from "./frames.ts";
import { serveStdio } from "./sdk.ts";
import { type ClientServer, type ServerParts, serverFor } from "./server.ts";

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
  const wire = frameTransport({
    ...streams,
    onMessage(message) {
      if ("method" in message && message.method === "subscriptions/listen")
        // The server is made while the first message is handled, which may be this one.
        setImmediate(() => client?.listen().catch(report));
    },
  });
  const handle = serveStdio(
    () => {
      client = serverFor(parts);
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
