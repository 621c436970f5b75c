import { type Key, newKeyboard } from "../../surfaces/board/keys.ts";
import type { Size } from "../../surfaces/board/state.ts";
import { writeBytes } from "../write-bytes.ts";

/** A terminal that belongs to the board: no scrolling, no cursor, every key at once. */
export interface BoardTerminal {
  readonly size: () => Size;
  write(text: string): void;
  /** Gives the terminal back as it was; `enter` takes it again. */
  leave(): void;
  enter(): void;
}

/** The other screen, no cursor, wheel and buttons in their long form. */
const ENTER = "\x1b[?1049h\x1b[?25l\x1b[?1000h\x1b[?1006h\x1b[H\x1b[2J";
const LEAVE = "\x1b[?1006l\x1b[?1000l\x1b[0m\x1b[?25h\x1b[?1049l";
const WHICH_BACKGROUND = "\x1b]11;?\x07";
/** A lone escape is a key; the beginning of a sequence is followed sooner than this. */
const ESCAPE_WAIT = 40;

export function openBoardTerminal(
  onKey: (key: Key) => void,
  onResize: () => void,
  onGone: () => void,
): BoardTerminal {
  const { stdin, stdout } = process;
  const keyboard = newKeyboard();
  let inside = false;
  let gone = false;
  let waiting: NodeJS.Timeout | undefined;

  const write = (text: string): void => {
    if (gone) return;
    try {
      writeBytes(1, Buffer.from(text));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "EPIPE" && code !== "EIO") throw error;
      gone = true;
      onGone();
    }
  };
  const onData = (input: string): void => {
    clearTimeout(waiting);
    for (const key of keyboard.read(input)) onKey(key);
    if (keyboard.waits)
      waiting = setTimeout(() => {
        for (const key of keyboard.rest()) onKey(key);
      }, ESCAPE_WAIT);
  };
  const leave = (): void => {
    if (!inside) return;
    inside = false;
    clearTimeout(waiting);
    stdin.off("data", onData).off("end", onGone);
    stdout.off("resize", onResize);
    process.off("exit", leave).off("uncaughtExceptionMonitor", leave);
    write(LEAVE);
    stdin.setRawMode(false);
    stdin.pause();
  };
  return {
    size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    write,
    leave,
    enter() {
      if (inside) return;
      inside = true;
      stdin.setRawMode(true);
      stdin.setEncoding("utf8").on("data", onData).on("end", onGone);
      stdin.resume();
      stdout.on("resize", onResize);
      // However the program ends, the terminal is given back first.
      process.on("exit", leave).on("uncaughtExceptionMonitor", leave);
      write(ENTER + WHICH_BACKGROUND);
    },
  };
}
