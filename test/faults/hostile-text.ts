import { type Chance, chanceFrom } from "./power-cut.ts";

const ESC = "\u001b";
const ENDS = ["\u0007", `${ESC}\\`, "\u009c", "", "\n"] as const;

const pick = <T>(chance: Chance, all: readonly T[]): T => all[chance.below(all.length)] as T;

/** One sequence that makes a terminal act, or show something else than the text. */
const KINDS: readonly ((chance: Chance) => string)[] = [
  // CSI: colors, movement, erasing, modes, queries that the terminal answers.
  (chance) => {
    const start = pick(chance, [`${ESC}[`, "\u009b"]);
    const mark = pick(chance, ["", "?", ">", "="]);
    const numbers = Array.from({ length: chance.below(4) }, () => chance.below(2_100)).join(";");
    return `${start}${mark}${numbers}${String.fromCharCode(0x40 + chance.below(63))}`;
  },
  // OSC: title, links, clipboard, notifications, programs.
  (chance) => {
    const start = pick(chance, [`${ESC}]`, "\u009d"]);
    const order = pick(chance, [
      "0;",
      "2;",
      "8;;http://x",
      "52;c;eA==",
      "9;7;calc",
      "1337;",
      "4;1;?",
    ]);
    return `${start}${order}x${pick(chance, ENDS)}`;
  },
  // DCS, SOS, PM, APC, and other escapes of two bytes.
  (chance) =>
    `${pick(chance, [`${ESC}P`, `${ESC}X`, `${ESC}^`, `${ESC}_`, "\u0090", "\u0098", "\u009e", "\u009f"])}q${pick(chance, ENDS)}`,
  (chance) => `${ESC}${String.fromCharCode(0x20 + chance.below(95))}`,
  (chance) => String.fromCharCode(chance.below(32)),
  (chance) => String.fromCharCode(0x7f + chance.below(33)),
  (chance) =>
    pick(chance, [
      "\u202a",
      "\u202b",
      "\u202d",
      "\u202e",
      "\u2066",
      "\u2067",
      "\u2068",
      "\u2069",
      "\u200e",
      "\u200f",
      "\u061c",
    ]),
  (chance) =>
    pick(chance, [
      "\u200b",
      "\u200c",
      "\u2060",
      "\u2063",
      "\ufeff",
      "\u00ad",
      "\u180e",
      "\u3164",
      "\u115f",
      "\u2028",
      "\u2029",
    ]),
  (chance) => String.fromCodePoint(0xe0000 + chance.below(0x80)),
  (chance) => pick(chance, ["\ufe0f", "\ufe0e", "\u{e0100}", "\u20e3"]),
  (chance) => `a${"\u0301\u0317\u0489".repeat(1 + chance.below(30))}`,
  (chance) => pick(chance, ["\ud800", "\udc00", "\udbff\ud800"]),
  (chance) => pick(chance, ["👨‍👩‍👧‍👦", "🇩🇪🇩", "漢字", "ﷺ", "שלום", "ｆｕｌｌ"]),
  (chance) => "x".repeat(chance.below(400)),
  () => "\r\n",
  () => "plain ",
];

/** Hostile texts, the same for the same seed. */
export function hostileTexts(count: number, seed: number): string[] {
  const chance = chanceFrom(seed);
  return Array.from({ length: count }, (_, n) => {
    const parts = Array.from({ length: 1 + chance.below(6) }, () => pick(chance, KINDS)(chance));
    return `${n} ${parts.join("")}`;
  });
}

const OWN_COLOURS = /\u001b\[[0-9;]*m/g;
const ACTS =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff]|[\u{e0000}-\u{e007f}]|\p{M}{5}/u;

/**
 * Characters that a terminal would not show literally, with their surroundings. Our own colors are
 * allowed.
 */
export function strangeIn(output: string): string | undefined {
  const seen = output.replace(OWN_COLOURS, "");
  const found = ACTS.exec(seen);
  return found
    ? JSON.stringify(seen.slice(Math.max(0, found.index - 40), found.index + 20))
    : undefined;
}
