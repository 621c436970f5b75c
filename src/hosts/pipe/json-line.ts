// What JSON leaves as it is and a terminal does not show as what it is.
const UNSHOWN =
  /[\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** One object on one line, which does nothing to a terminal that it may end up on. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value).replace(UNSHOWN, escaped)}\n`;
}
