import type { Progress } from "../../home/open.ts";
import { writeText } from "./write-bytes.ts";

/** Work that takes no longer than this says nothing. */
const PATIENCE = 300;
const EVERY = 100;

/** A line on a terminal that says how far a long piece of work is; removed at the end. */
export function progressOn(what: string, isTerminal: () => boolean): Progress {
  const begun = Date.now();
  let shownAt = 0;
  let tty: boolean | undefined;
  const write = (text: string): void => {
    try {
      writeText(2, text);
    } catch {
      // Nobody watches any more; the work goes on.
      tty = false;
    }
  };
  return {
    update(done, total) {
      const now = Date.now();
      if (now - begun < PATIENCE || now - shownAt < EVERY) return;
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
