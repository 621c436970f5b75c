import { chanceFrom } from "./power-cut.ts";

/** Pieces that turn a name into a path, another name, or no name. */
const PIECES = [
  "..",
  ".",
  "/",
  "../",
  "..\\",
  "\\",
  "%2e%2e%2f",
  "%2f",
  "%00",
  "\0",
  "\u2215",
  "\uff0f",
  "\u2025",
  "\uff0e\uff0e",
  "CON",
  "NUL.txt",
  "COM1",
  "a",
  "A",
  "canary",
  "outside",
  "~",
  "$HOME",
  "`id`",
  ";",
  " ",
  "\n",
  "\r",
  "\u001b[2J",
  "-agent-",
  ".json",
  ".events.jsonl",
  "*",
  "?",
  "--",
  "-",
  "__proto__",
  "\ud800",
  "\u202e",
  "é",
  "e\u0301",
] as const;

/** Ids that would escape a directory if one were used as a path. */
export function hostileIds(count: number, outside: string, seed: number): string[] {
  const chance = chanceFrom(seed);
  const pick = () => PIECES[chance.below(PIECES.length)] ?? "";
  const fixed = [
    outside,
    `${outside}/canary`,
    "../outside/canary",
    "../../outside/canary",
    "..",
    ".",
    "",
    "x".repeat(4_096),
    "../".repeat(40),
    `x/../../outside/canary`,
    "constructor",
    "toString",
  ];
  const made = Array.from({ length: count - fixed.length }, () => {
    const pieces = Array.from({ length: 1 + chance.below(6) }, pick).join("");
    return chance.below(4) === 0 ? `${outside}/${pieces}` : pieces;
  });
  return [...fixed, ...made];
}
