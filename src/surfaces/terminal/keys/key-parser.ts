/** A key press, or a report of the terminal. */
export type Key =
  | { readonly name: KeyName }
  | { readonly name: "text"; readonly text: string }
  /** A press of the left mouse button, in cells from the top left corner. */
  | { readonly name: "click"; readonly column: number; readonly row: number }
  /** The terminal's answer to a background color query (OSC 11). */
  | { readonly name: "background"; readonly light: boolean };

export type KeyName =
  | "up"
  | "down"
  | "left"
  | "right"
  | "home"
  | "end"
  | "page up"
  | "page down"
  | "enter"
  | "escape"
  | "tab"
  | "backspace"
  | "delete"
  | "alt up"
  | "alt down"
  | "wheel up"
  | "wheel down"
  | "ctrl a"
  | "ctrl c"
  | "ctrl d"
  | "ctrl l"
  | "ctrl t"
  | "ctrl u"
  | "ctrl z";

const SEQUENCES: Readonly<Record<string, KeyName>> = {
  "[A": "up",
  "[B": "down",
  "[C": "right",
  "[D": "left",
  OA: "up",
  OB: "down",
  OC: "right",
  OD: "left",
  "[H": "home",
  "[F": "end",
  OH: "home",
  OF: "end",
  "[1~": "home",
  "[4~": "end",
  "[7~": "home",
  "[8~": "end",
  "[3~": "delete",
  "[5~": "page up",
  "[6~": "page down",
  "[1;3A": "alt up",
  "[1;3B": "alt down",
  "[1;9A": "alt up",
  "[1;9B": "alt down",
  "\x1b[A": "alt up",
  "\x1b[B": "alt down",
};

const CONTROLS: Readonly<Record<string, KeyName>> = {
  "\r": "enter",
  "\n": "enter",
  "\t": "tab",
  "\x7f": "backspace",
  "\b": "backspace",
  "\x01": "ctrl a",
  "\x03": "ctrl c",
  "\x04": "ctrl d",
  "\x0c": "ctrl l",
  "\x14": "ctrl t",
  "\x15": "ctrl u",
  "\x1a": "ctrl z",
};

const BRACKET = /^\x1b(\x1b?\[[<?]?[0-9;]*[ -/]*[@-~]|O[A-Za-z])/;
const COMMAND = /^\x1b\](\d+);([^\x07\x1b]*)(?:\x07|\x1b\\)/;
const MOUSE = /^\[<(\d+);(\d+);(\d+)([Mm])$/;
/** One character at a time: a chunk of input may contain several keys. */
const TEXT = /^[^\x00-\x1f\x7f]/u;
/** An incomplete sequence, whose rest may arrive in the next chunk. */
const UNFINISHED = /^\x1b(?:\x1b?(?:\[[<?]?[0-9;]*[ -/]*)?|O|\][^\x07\x1b]*\x1b?)$/;

/** No sequence is longer, except control strings, which are ignored. */
const MAX_HELD = 256;

/** An incomplete sequence with as much of its start as says how it ends. */
function shortened(left: string): string {
  if (left.length <= MAX_HELD) return left;
  const end = left.endsWith("\x1b") ? "\x1b" : "";
  return left.startsWith("\x1b]") ? `\x1b]0;${end}` : left.slice(0, MAX_HELD);
}

export interface KeyParser {
  /** Parses a chunk of input. An incomplete sequence is kept for the next call. */
  read(input: string): readonly Key[];
  /** Parses a kept incomplete sequence as it is; call it after a pause. */
  flush(): readonly Key[];
  /** Whether an incomplete sequence is kept. */
  readonly hasPending: boolean;
}

export function newKeyParser(): KeyParser {
  let held = "";
  return {
    get hasPending() {
      return held !== "";
    },
    read(input) {
      const { keys, left } = keysOf(held + input);
      held = shortened(left);
      return keys;
    },
    flush() {
      const alone = held;
      held = "";
      return alone === "\x1b" ? [{ name: "escape" }] : [];
    },
  };
}

function keysOf(input: string): { readonly keys: readonly Key[]; readonly left: string } {
  const keys: Key[] = [];
  let left = input;
  while (left !== "") {
    if (UNFINISHED.test(left)) return { keys, left };
    const [length, key] = firstOf(left);
    if (key) keys.push(key);
    left = left.slice(length);
  }
  return { keys, left };
}

function firstOf(input: string): readonly [length: number, key?: Key] {
  const text = TEXT.exec(input)?.[0];
  if (text !== undefined) return [text.length, { name: "text", text }];
  const command = COMMAND.exec(input);
  if (command) {
    const light = command[1] === "11" ? isLight(command[2] ?? "") : undefined;
    return light === undefined
      ? [command[0].length]
      : [command[0].length, { name: "background", light }];
  }
  const sequence = BRACKET.exec(input);
  if (sequence) {
    const [whole, body = ""] = sequence;
    const name = SEQUENCES[body];
    const key = name ? { name } : mouseOf(body);
    return key ? [whole.length, key] : [whole.length];
  }
  const control = input[0] ?? "";
  const name = control === "\x1b" ? "escape" : CONTROLS[control];
  return name ? [1, { name }] : [1];
}

/** A mouse event in SGR form. Releases and other buttons are ignored. */
function mouseOf(body: string): Key | undefined {
  const [, button, column, row, end] = MOUSE.exec(body) ?? [];
  if (button === "64") return { name: "wheel up" };
  if (button === "65") return { name: "wheel down" };
  if (button !== "0" || end !== "M") return undefined;
  if (!Number(column) || !Number(row)) return undefined;
  return { name: "click", column: Number(column) - 1, row: Number(row) - 1 };
}

/** `rgb:ffff/ffff/ffff`, with any number of digits. */
function isLight(answer: string): boolean | undefined {
  const parts = /^rgba?:([0-9a-f]+)\/([0-9a-f]+)\/([0-9a-f]+)/i.exec(answer)?.slice(1);
  if (!parts) return undefined;
  const [red = 0, green = 0, blue = 0] = parts.map(
    (part) => Number.parseInt(part, 16) / (16 ** part.length - 1),
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5;
}
