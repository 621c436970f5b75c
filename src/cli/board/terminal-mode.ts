import { type Key, newKeyboard } from "../../surfaces/terminal/keys/keys.ts";
import type { Size } from "../../surfaces/terminal/state.ts";
import { openOutput } from "./output.ts";

/** A terminal that belongs to the board: no scrolling, no cursor, every key at once. */
export interface BoardTerminal {
  readonly size: () => Size;
  write(text: string): void;
  /** It is still busy with what was written before. */
  readonly isBehind: boolean;
  /** Gives the terminal back as it was; `enter` takes it again. Answers whether it is still there. */
  leave(): boolean;
  enter(): void;
  close(): void;
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
  const output = openOutput(onGone);
  let inside = false;
  let there = true;
  let waiting: NodeJS.Timeout | undefined;

  const onData = (input: string): void => {
    clearTimeout(waiting);
    for (const key of keyboard.read(input)) onKey(key);
    if (keyboard.waits)
      waiting = setTimeout(() => {
        for (const key of keyboard.rest()) onKey(key);
      }, ESCAPE_WAIT);
  };
  const setRaw = (raw: boolean): void => {
    try {
      stdin.setRawMode(raw);
    } catch {
      // There is no terminal any more whose mode could be set.
      onGone();
    }
  };
  const leave = (): boolean => {
    if (!inside) return there;
    inside = false;
    clearTimeout(waiting);
    stdin.off("data", onData).off("end", onGone);
    stdout.off("resize", onResize);
    process.off("exit", leave);
    output.write(LEAVE);
    there = output.finish();
    setRaw(false);
    stdin.pause();
    return there;
  };
  // A terminal that goes away is an error to whoever reads from it.
  stdin.on("error", onGone);
  stdout.on("error", onGone);
  return {
    size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    write: output.write,
    get isBehind() {
      return output.isBehind;
    },
    leave,
    enter() {
      if (inside) return;
      inside = true;
      setRaw(true);
      stdin.setEncoding("utf8").on("data", onData).on("end", onGone);
      stdin.resume();
      stdout.on("resize", onResize);
      // However the program ends, the terminal is given back first.
      process.on("exit", leave);
      output.write(ENTER + WHICH_BACKGROUND);
    },
    close: output.close,
  };
}
