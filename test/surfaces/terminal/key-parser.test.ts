import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newKeyParser } from "../../../src/surfaces/terminal/keys/key-parser.ts";

const read = (...pieces: readonly string[]) => {
  const keyboard = newKeyParser();
  return [...pieces.flatMap((piece) => keyboard.read(piece)), ...keyboard.flush()];
};

describe("key parser", () => {
  test("parses letters, controls and escape sequences", () => {
    expect(
      read("\x1b[A\x1bOB\x1b[5~\x1b[1;3B\x1b\x1b[A\r\x7f\x14é日\x1b[<64;3;9M\x1b[<65;3;9M"),
    ).toEqual([
      { name: "up" },
      { name: "down" },
      { name: "page up" },
      { name: "alt down" },
      { name: "alt up" },
      { name: "enter" },
      { name: "backspace" },
      { name: "ctrl t" },
      { name: "text", text: "é" },
      { name: "text", text: "日" },
      { name: "wheel up" },
      { name: "wheel down" },
    ]);
  });

  test("reports a lone escape when flushed", () => {
    const keyboard = newKeyParser();
    expect([keyboard.read("\x1b"), keyboard.hasPending]).toEqual([[], true]);
    expect([keyboard.flush(), keyboard.hasPending]).toEqual([[{ name: "escape" }], false]);
  });

  test("reports presses of the left mouse button", () => {
    expect(read("\x1b[<0;12;5M\x1b[<0;12;5m")).toEqual([{ name: "click", column: 11, row: 4 }]);
  });

  test("ignores releases, other buttons, focus reports, function keys and unrelated answers", () => {
    expect(
      read(
        "\x1b[<0;1;1m\x1b[<2;1;1M\x1b[<4;1;1M\x1b[<35;1;1M\x1b[I\x1b[15~\x1b]4;1;rgb:0/0/0\x07\x02",
      ),
    ).toEqual([]);
  });

  test("parses the terminal's background color", () => {
    expect(read("\x1b]11;rgb:ffff/ffff/e0e0\x1b\\")).toEqual([{ name: "background", light: true }]);
    expect(read("\x1b]11;rgb:1e/1e/1e\x07")).toEqual([{ name: "background", light: false }]);
  });

  test("parses the same keys however the input is split", () => {
    const pieces = fc.constantFrom(
      "\x1b[A",
      "\x1b[1;3A",
      "\x1b[<64;10;20M",
      "\x1b[<0;10;20M",
      "j",
      "\r",
      "\x1b[6~",
      "\x1b]11;rgb:0/0/0\x07",
    );
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 8 }),
        fc.array(fc.nat(40), { maxLength: 6 }),
        (keys, cuts) => {
          const whole = keys.join("");
          const places = [0, ...cuts.map((cut) => cut % (whole.length + 1)), whole.length].sort(
            (a, b) => a - b,
          );
          const cut = places.slice(1).map((place, index) => whole.slice(places[index], place));
          const joinText = (list: ReturnType<typeof read>) =>
            list.map((key) => (key.name === "text" ? key.text : `<${key.name}>`)).join("");
          expect(joinText(read(...cut))).toBe(joinText(read(whole)));
        },
      ),
    );
  });
});
