import { closeSync, constants, openSync, readlinkSync, writeSync } from "node:fs";
import { isGone, pause } from "../io/write-bytes.ts";

/**
 * Bytes for a terminal that nobody may be reading from. Whoever waits inside a write hears no signal:
 * so what is not taken is kept and offered again.
 */
export interface TerminalOutput {
  write(text: string): void;
  /** Something that was written is not taken yet. */
  readonly isBehind: boolean;
  /** Waits a moment for what is left; answers whether all of it was taken. */
  finish(): boolean;
  close(): void;
}

const AGAIN = 20;
const PATIENCE = 400;

export function openOutput(onGone: () => void): TerminalOutput {
  const own = openOwn();
  const handle = own ?? 1;
  let left: Buffer = Buffer.alloc(0);
  let gone = false;
  let again: NodeJS.Timeout | undefined;

  const flush = (): void => {
    clearTimeout(again);
    again = undefined;
    try {
      while (left.length > 0) left = left.subarray(writeSync(handle, left));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") again = setTimeout(flush, AGAIN);
      else if (isGone(error)) {
        gone = true;
        left = Buffer.alloc(0);
        onGone();
      } else throw error;
    }
  };
  return {
    write(text) {
      if (gone) return;
      left = Buffer.concat([left, Buffer.from(text)]);
      if (again === undefined) flush();
    },
    get isBehind() {
      return left.length > 0;
    },
    finish() {
      for (const until = Date.now() + PATIENCE; !gone && left.length > 0; pause(AGAIN)) {
        flush();
        if (Date.now() > until) break;
      }
      clearTimeout(again);
      again = undefined;
      return !gone && left.length === 0;
    },
    close() {
      if (own !== undefined) closeSync(own);
    },
  };
}

/** The terminal once more, so that not to wait is our choice and nobody else's who writes to it. */
function openOwn(): number | undefined {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    const path = process.platform === "linux" ? readlinkSync("/proc/self/fd/1") : "/dev/tty";
    return openSync(path, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    // Not to be opened again, as on Windows: what was given has to do.
    return undefined;
  }
}
