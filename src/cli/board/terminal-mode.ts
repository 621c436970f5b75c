import { type Key, newKeyParser } from "../../surfaces/terminal/keys/key-parser.ts";
import type { Size } from "../../surfaces/terminal/state.ts";
import { openOutput } from "./terminal-output.ts";

/** The terminal in raw mode on the alternate screen, for the board. */
export interface BoardTerminal {
  readonly size: () => Size;
  write(text: string): void;
  /** Earlier output is still buffered. */
  readonly isBehind: boolean;
  /** Restores the terminal; `enter` takes it again. Returns whether it is still connected. */
  leave(): boolean;
  enter(): void;
  close(): void;
}

/** Alternate screen, hidden cursor. */
const ENTER = "\x1b[?1049h\x1b[?25l\x1b[H\x1b[2J";
const LEAVE = "\x1b[0m\x1b[?25h\x1b[?1049l";
/** Clicks and the wheel, in SGR form. Terminals select text while Shift is pressed. */
const MOUSE_ON = "\x1b[?1000h\x1b[?1006h";
const MOUSE_OFF = "\x1b[?1006l\x1b[?1000l";
const QUERY_BACKGROUND = "\x1b]11;?\x07";
/** Milliseconds after which an escape character is the Escape key and not the start of a sequence. */
const ESCAPE_WAIT = 40;

export function openBoardTerminal(
  onKey: (key: Key) => void,
  onResize: () => void,
  onDisconnect: () => void,
  { mouse = true }: { readonly mouse?: boolean } = {},
): BoardTerminal {
  const { stdin, stdout } = process;
  const keyboard = newKeyParser();
  const output = openOutput(onDisconnect);
  let isEntered = false;
  let isConnected = true;
  let waiting: NodeJS.Timeout | undefined;

  const onData = (input: string): void => {
    clearTimeout(waiting);
    for (const key of keyboard.read(input)) onKey(key);
    if (keyboard.hasPending)
      waiting = setTimeout(() => {
        for (const key of keyboard.flush()) onKey(key);
      }, ESCAPE_WAIT);
  };
  const setRaw = (raw: boolean): void => {
    try {
      stdin.setRawMode(raw);
    } catch {
      // The terminal is closed.
      onDisconnect();
    }
  };
  const leave = (): boolean => {
    if (!isEntered) return isConnected;
    isEntered = false;
    clearTimeout(waiting);
    stdin.off("data", onData).off("end", onDisconnect);
    stdout.off("resize", onResize);
    process.off("exit", leave);
    output.write((mouse ? MOUSE_OFF : "") + LEAVE);
    isConnected = output.finish();
    setRaw(false);
    stdin.pause();
    return isConnected;
  };
  // Reading from a terminal that closed is an error.
  stdin.on("error", onDisconnect);
  stdout.on("error", onDisconnect);
  return {
    size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    write: output.write,
    get isBehind() {
      return output.isBehind;
    },
    leave,
    enter() {
      if (isEntered) return;
      isEntered = true;
      setRaw(true);
      stdin.setEncoding("utf8").on("data", onData).on("end", onDisconnect);
      stdin.resume();
      stdout.on("resize", onResize);
      // Restores the terminal however the program ends.
      process.on("exit", leave);
      output.write(ENTER + (mouse ? MOUSE_ON : "") + QUERY_BACKGROUND);
    },
    close: output.close,
  };
}
