import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { type ModelText, modelText, quote } from "../../core/text/model-text.ts";
import { isRecord } from "../../core/values.ts";
import { type Line, splitLines } from "../../sessions/transcripts/scan/lines.ts";

/** A line with more bytes is no message of any client that means well. */
export const MAX_FRAME = 4 * 1024 * 1024;
/** With so many requests unanswered no more are read. */
const MAX_OPEN = 64;
/** How long answers that are on their way are waited for when the client has said its last. */
const LAST_ANSWERS = 2_000;

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
  /** What has to be done before a message is carried out; the others wait behind it. */
  readonly before?: (message: JSONRPCMessage) => Promise<void> | undefined;
}

type Id = string | number;
type Read =
  | { readonly ok: true; readonly message: JSONRPCMessage }
  | { readonly ok: false; readonly code: number; readonly why: ModelText; readonly id: Id | null };

/**
 * Messages as lines of JSON. What is not a message is answered as the protocol says and read over.
 * While the reader of our answers is slow, no more questions are taken.
 */
export function frameTransport(options: FrameOptions): Transport {
  const { input, output, maxFrame = MAX_FRAME, before } = options;
  const lines = splitLines(undefined, maxFrame);
  /** Requests without an answer yet. */
  const open = new Set<Id>();
  const arrived: JSONRPCMessage[] = [];
  let isHandingOn = false;
  /** The reader of our answers needs a moment. */
  let isFull = false;
  let isClosed = false;
  let isOver = false;
  const report = (error: Error): void => transport.onerror?.(error);

  const write = (message: unknown): void => {
    isFull = !output.write(`${JSON.stringify(message)}\n`);
    regulate();
  };
  const regulate = (): void => {
    if (isClosed) return;
    if (isFull || open.size >= MAX_OPEN) input.pause();
    else if (input.isPaused()) input.resume();
  };
  const settle = (id: Id): void => {
    open.delete(id);
    if (isOver && open.size === 0) void transport.close();
    else regulate();
  };

  const take = (line: Line): void => {
    const read = readFrame(line, maxFrame);
    if (!read) return;
    const refused = read.ok ? refuseTwice(read.message, open) : read;
    if (refused) {
      const { id, code, why } = refused;
      write({ jsonrpc: "2.0", id, error: { code, message: why } });
      return;
    }
    if (!read.ok) return;
    const { message } = read;
    // A subscription is answered when it ends, and it ends with the connection.
    if ("method" in message && message.method !== "subscriptions/listen" && "id" in message)
      open.add(message.id);
    arrived.push(message);
    if (!isHandingOn) void handOn();
  };

  /** Waits only where it must: a message that needs nothing is handed on as it comes. */
  const handOn = async (): Promise<void> => {
    isHandingOn = true;
    for (let message = arrived.shift(); message; message = arrived.shift()) {
      const wait = before?.(message);
      if (wait) await wait.catch(report);
      transport.onmessage?.(message);
      const cancelled = cancelledBy(message);
      if (cancelled !== undefined) settle(cancelled);
    }
    isHandingOn = false;
  };

  const onData = (chunk: Buffer): void => {
    lines.push(chunk, take);
    regulate();
  };
  const onEnd = (): void => {
    if (isOver) return;
    isOver = true;
    const rest = lines.rest();
    if (rest) take(rest);
    if (open.size === 0) void transport.close();
    else setTimeout(() => void transport.close(), LAST_ANSWERS).unref();
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
      // Nobody reads the answers any more.
      output.on("error", onError);
      output.on("drain", () => {
        isFull = false;
        regulate();
      });
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

/** Nothing for an empty line. */
function readFrame(line: Line, maxFrame: number): Read | undefined {
  if ("skipped" in line)
    return no(
      INVALID_REQUEST,
      modelText`A message may have ${maxFrame} bytes, this one has ${line.skipped}.`,
    );
  const text = line.bytes.toString("utf8");
  if (text.trim() === "") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return no(PARSE_ERROR, modelText`This is not JSON: ${quote((error as Error).message, 160)}.`);
  }
  if (Array.isArray(value))
    return no(
      INVALID_REQUEST,
      modelText`Batches are not taken. Send each message on a line of its own.`,
    );
  return readMessage(value);
}

function no(code: number, why: ModelText, id: Id | null = null): Read {
  return { ok: false, code, why, id };
}

function readMessage(value: unknown): Read {
  if (!isRecord(value)) return no(INVALID_REQUEST, modelText`A message is a JSON object.`);
  const id = isId(value.id) ? value.id : null;
  const { method, params, result, error } = value;
  if (value.jsonrpc !== "2.0") return no(INVALID_REQUEST, modelText`jsonrpc must be "2.0".`, id);
  if (value.id !== undefined && id === null && error === undefined)
    return no(INVALID_REQUEST, modelText`id must be a text or a whole number.`);
  // One that is both a question and an answer would be taken for an answer, and wait for its own for ever.
  if ([method, result, error].filter((part) => part !== undefined).length !== 1)
    return no(INVALID_REQUEST, modelText`A message has a method, a result or an error.`, id);
  if (method !== undefined && typeof method !== "string")
    return no(INVALID_REQUEST, modelText`method must be a text.`, id);
  if (params !== undefined && !isRecord(params))
    return no(INVALID_REQUEST, modelText`params must be an object.`, id);
  return { ok: true, message: value as JSONRPCMessage };
}

/** Two open requests of one id could not be told apart by their answers. */
function refuseTwice(
  message: JSONRPCMessage,
  open: ReadonlySet<Id>,
): (Read & { ok: false }) | undefined {
  if (!("method" in message && "id" in message) || !open.has(message.id)) return undefined;
  const id = typeof message.id === "string" ? quote(message.id, 60) : message.id;
  const why = modelText`Request ${id} has no answer yet; give this one another id.`;
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
