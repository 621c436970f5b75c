import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { type ModelText, modelText, quote } from "../../core/text/model-text.ts";
import { isRecord } from "../../core/values.ts";
import { type Line, splitLines } from "../../sessions/transcripts/scan/lines.ts";

/** Limit on a message in bytes. */
export const MAX_FRAME = 4 * 1024 * 1024;
/** Reading pauses while this many requests are unanswered. */
const MAX_PENDING = 64;
/** How long pending answers may take after the input ended. */
const DRAIN_TIMEOUT = 2_000;

// biome-ignore lint/suspicious/noExplicitAny: the listeners of Node's streams differ by event
type Listener = (...args: any[]) => void;

/** A readable stream of Node, such as `process.stdin`. */
export interface InputStream {
  on(event: string, listener: Listener): unknown;
  off(event: string, listener: Listener): unknown;
  pause(): unknown;
  resume(): unknown;
  isPaused(): boolean;
}

/** A writable stream of Node, such as `process.stdout`. */
export interface OutputStream {
  on(event: string, listener: Listener): unknown;
  write(text: string): boolean;
}

/** The two streams of a connection. */
export interface FrameStreams {
  readonly input: InputStream;
  readonly output: OutputStream;
}

export interface FrameOptions extends FrameStreams {
  readonly maxFrame?: number;
  /** Runs before a message is handled; later messages wait for it. */
  readonly before?: (message: JSONRPCMessage) => Promise<void> | undefined;
}

type Id = string | number;
type Read =
  | { readonly ok: true; readonly message: JSONRPCMessage }
  | { readonly ok: false; readonly code: number; readonly why: ModelText; readonly id: Id | null };

/**
 * JSON-RPC messages as lines of JSON. Invalid lines are answered with the error that the protocol prescribes. Reading pauses while
 * the client is slow to read the answers.
 */
export function frameTransport(options: FrameOptions): Transport {
  const { input, output, maxFrame = MAX_FRAME, before } = options;
  const lines = splitLines(undefined, maxFrame);
  /** Ids of requests without an answer. */
  const pending = new Set<Id>();
  const queue: JSONRPCMessage[] = [];
  let isDraining = false;
  /** The output buffer is full. */
  let isFull = false;
  let isClosed = false;
  let hasEnded = false;
  const report = (error: Error): void => transport.onerror?.(error);

  const write = (message: unknown): void => {
    isFull = !output.write(`${JSON.stringify(message)}\n`);
    regulate();
  };
  const regulate = (): void => {
    if (isClosed) return;
    if (isFull || pending.size >= MAX_PENDING) input.pause();
    else if (input.isPaused()) input.resume();
  };
  const settle = (id: Id): void => {
    pending.delete(id);
    if (hasEnded && pending.size === 0) void transport.close();
    else regulate();
  };

  const receive = (line: Line): void => {
    const read = readFrame(line, maxFrame);
    if (!read) return;
    const refused = read.ok ? refuseDuplicate(read.message, pending) : read;
    if (refused) {
      const { id, code, why } = refused;
      write({ jsonrpc: "2.0", id, error: { code, message: why } });
      return;
    }
    if (!read.ok) return;
    const { message } = read;
    // A subscription is answered when the connection ends, so it does not count as pending.
    if ("method" in message && message.method !== "subscriptions/listen" && "id" in message)
      pending.add(message.id);
    queue.push(message);
    if (!isDraining) void drain();
  };

  /** Handles queued messages in order, without a delay unless `before` returns a promise. */
  const drain = async (): Promise<void> => {
    isDraining = true;
    for (let message = queue.shift(); message; message = queue.shift()) {
      const wait = before?.(message);
      if (wait) await wait.catch(report);
      transport.onmessage?.(message);
      const cancelled = cancelledBy(message);
      if (cancelled !== undefined) settle(cancelled);
    }
    isDraining = false;
  };

  const onData = (chunk: Buffer): void => {
    lines.push(chunk, receive);
    regulate();
  };
  const onEnd = (): void => {
    if (hasEnded) return;
    hasEnded = true;
    const rest = lines.rest();
    if (rest) receive(rest);
    if (pending.size === 0) void transport.close();
    else setTimeout(() => void transport.close(), DRAIN_TIMEOUT).unref();
  };
  const onError = (error: Error): void => {
    report(error);
    void transport.close();
  };

  const transport: Transport = {
    async start() {
      input.on("data", onData);
      input.on("end", onEnd);
      input.on("close", onEnd);
      input.on("error", onError);
      // The client no longer reads.
      output.on("error", onError);
      output.on("drain", () => {
        isFull = false;
        regulate();
      });
      // `introduce` has paused it.
      regulate();
    },
    async send(message) {
      if (isClosed) return;
      write(message);
      if (!("method" in message) && message.id !== undefined) settle(message.id);
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      input.off("data", onData);
      input.pause();
      transport.onclose?.();
    },
  };
  return transport;
}

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/** Parses a line; undefined for an empty one. */
function readFrame(line: Line, maxFrame: number): Read | undefined {
  if ("skipped" in line)
    return invalid(
      INVALID_REQUEST,
      modelText`The message has ${line.skipped} bytes; the limit is ${maxFrame}.`,
    );
  const text = line.bytes.toString("utf8");
  if (text.trim() === "") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return invalid(
      PARSE_ERROR,
      modelText`The message is not valid JSON: ${quote((error as Error).message, 160)}.`,
    );
  }
  if (Array.isArray(value))
    return invalid(
      INVALID_REQUEST,
      modelText`Batches are not supported. Send each message on its own line.`,
    );
  return readMessage(value);
}

function invalid(code: number, why: ModelText, id: Id | null = null): Read {
  return { ok: false, code, why, id };
}

function readMessage(value: unknown): Read {
  if (!isRecord(value))
    return invalid(INVALID_REQUEST, modelText`A message must be a JSON object.`);
  const id = isId(value.id) ? value.id : null;
  const { method, params, result, error } = value;
  if (value.jsonrpc !== "2.0")
    return invalid(INVALID_REQUEST, modelText`jsonrpc must be "2.0".`, id);
  if (value.id !== undefined && id === null && error === undefined)
    return invalid(INVALID_REQUEST, modelText`id must be a string or an integer.`);
  // A message with a method and a result would be handled as an answer, and its request would never be answered.
  if ([method, result, error].filter((part) => part !== undefined).length !== 1)
    return invalid(
      INVALID_REQUEST,
      modelText`A message must have exactly one of method, result and error.`,
      id,
    );
  if (method !== undefined && typeof method !== "string")
    return invalid(INVALID_REQUEST, modelText`method must be a string.`, id);
  if (params !== undefined && !isRecord(params))
    return invalid(INVALID_REQUEST, modelText`params must be an object.`, id);
  return { ok: true, message: value as JSONRPCMessage };
}

/** Refuses a request whose id is still pending: its answer would be ambiguous. */
function refuseDuplicate(
  message: JSONRPCMessage,
  pending: ReadonlySet<Id>,
): (Read & { ok: false }) | undefined {
  if (!("method" in message && "id" in message) || !pending.has(message.id)) return undefined;
  const id = typeof message.id === "string" ? quote(message.id, 60) : message.id;
  const why = modelText`Request ${id} is still pending. Use a different id.`;
  return { ok: false, code: INVALID_REQUEST, why, id: null };
}

function cancelledBy(message: JSONRPCMessage): Id | undefined {
  if (!("method" in message) || message.method !== "notifications/cancelled") return undefined;
  const id = message.params?.requestId;
  return isId(id) ? id : undefined;
}

function isId(value: unknown): value is Id {
  return typeof value === "string" || Number.isSafeInteger(value);
}
