import { closeSync, constants, openSync, readlinkSync, writeSync } from "node:fs";
import { isDisconnected, pause } from "../io/write-bytes.ts";

/**
 * Non-blocking output to a terminal that may not be read. A blocked write could not be interrupted by a signal, so
 * bytes that the terminal does not accept are buffered and retried.
 */
export interface TerminalOutput {
  write(text: string): void;
  /** Bytes are still buffered. */
  readonly isBehind: boolean;
  /** Waits a moment for the buffer to drain. Returns whether it did. */
  finish(): boolean;
  close(): void;
}

/** Milliseconds between retries. */
const RETRY = 20;
/** Milliseconds that `finish` waits. */
const DRAIN = 400;

export function openOutput(onDisconnect: () => void): TerminalOutput {
  const own = openOwn();
  const handle = own ?? 1;
  let left: Buffer = Buffer.alloc(0);
  let isClosed = false;
  let retry: NodeJS.Timeout | undefined;

  const flush = (): void => {
    clearTimeout(retry);
    retry = undefined;
    try {
      while (left.length > 0) left = left.subarray(writeSync(handle, left));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") retry = setTimeout(flush, RETRY);
      else if (isDisconnected(error)) {
        isClosed = true;
        left = Buffer.alloc(0);
        onDisconnect();
      } else throw error;
    }
  };
  return {
    write(text) {
      if (isClosed) return;
      left = Buffer.concat([left, Buffer.from(text)]);
      if (retry === undefined) flush();
    },
    get isBehind() {
      return left.length > 0;
    },
    finish() {
      for (const until = Date.now() + DRAIN; !isClosed && left.length > 0; pause(RETRY)) {
        flush();
        if (Date.now() > until) break;
      }
      clearTimeout(retry);
      retry = undefined;
      return !isClosed && left.length === 0;
    },
    close() {
      if (own !== undefined) closeSync(own);
    },
  };
}

/** Reopens the terminal, so that O_NONBLOCK does not affect other processes that write to it. */
function openOwn(): number | undefined {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    const path = process.platform === "linux" ? readlinkSync("/proc/self/fd/1") : "/dev/tty";
    return openSync(path, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    // Cannot be reopened, as on Windows: use stdout.
    return undefined;
  }
}
