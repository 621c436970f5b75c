import { type Key, newKeyParser } from "../../../src/surfaces/terminal/keys/key-parser.ts";
import { holds, same } from "../check.ts";

/** Input in pieces gives the same keys. */
export function fuzz(bytes: Buffer): void {
  const input = bytes.toString();
  const whole = newKeyParser();
  const keys = [...whole.read(input), ...whole.flush()];
  const pieces = newKeyParser();
  const size = 1 + (input.length % 3);
  const found: Key[] = [];
  for (const character of input.match(new RegExp(`[^]{1,${size}}`, "gu")) ?? [])
    found.push(...pieces.read(character));
  found.push(...pieces.flush());
  // A longer incomplete sequence is shortened.
  if (input.length < 200) same("keys of pieces", found, keys);
  for (const key of keys) {
    if (key.name === "text")
      holds("a text is one printable character", /^[^\x00-\x1f\x7f]$/u.test(key.text));
    if (key.name === "click") holds("a click is in the screen", key.column >= 0 && key.row >= 0);
  }
}
