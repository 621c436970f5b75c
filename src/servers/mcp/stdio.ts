import { type FrameStreams, frameTransport } from "./frames.ts";
import { namesTasks } from "./resources/uris.ts";
import { serveStdio } from "./sdk.ts";
import { type ClientServer, type ServerParts, serverFor } from "./server.ts";

/** One client at the other end of two streams. */
export interface Connection {
  /** Resolves when the client disconnects or `close` is called. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** Serves one client. Its first message decides between the old and the new protocol. */
export function serveStreams(parts: ServerParts, streams: FrameStreams): Connection {
  let client: ClientServer | undefined;
  /** Created for a subscription that arrived before the protocol was known. */
  let early: ClientServer | undefined;
  const report = (error: Error) => parts.onError?.(error);
  /**
   * Starts watching before the subscription is acknowledged, so that the client receives the very next change. A
   * subscription may be the first message; only the new protocol has it, which decides the server to create.
   */
  const listen = (withTasks: boolean): Promise<void> => {
    if (client) return client.listen(withTasks);
    early ??= serverFor(parts, "modern");
    return early.listen(withTasks);
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
      client = era === "modern" && early ? early : serverFor(parts, era);
      early = undefined;
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
