import type { Progress } from "../../home/open.ts";
import { writeText } from "./write-bytes.ts";

/** Milliseconds before the line appears. */
const DELAY = 300;
/** Milliseconds between updates. */
const EVERY = 100;

/** A progress line on stderr, removed at the end. Nothing is printed without a terminal. */
export function progressOn(what: string, isTerminal: () => boolean): Progress {
  const startedAt = Date.now();
  let shownAt = 0;
  let tty: boolean | undefined;
  const write = (text: string): void => {
    try {
      writeText(2, text);
    } catch {
      // The terminal is closed; the work continues.
      tty = false;
    }
  };
  return {
    update(done, total) {
      const now = Date.now();
      if (now - startedAt < DELAY || now - shownAt < EVERY) return;
      tty ??= isTerminal();
      if (!tty) return;
      shownAt = now;
      write(`\r\x1b[2K${what}: ${done} of ${total}`);
    },
    end() {
      if (shownAt > 0 && tty) write("\r\x1b[2K");
    },
  };
}
