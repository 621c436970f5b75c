import { identityOf } from "../../../agents/identities.ts";

/** Parameters of one SGR sequence, without the bytes around them. */
export type Sgr = string;

export type Background = "dark" | "light";

export interface Tones {
  readonly bold: Sgr;
  readonly dim: Sgr;
  /** Lines and dots that are not text. */
  readonly edge: Sgr;
  readonly struck: Sgr;
  readonly watch: Sgr;
  readonly broken: Sgr;
  readonly you: Sgr;
  /** Proven; nothing else has this colour. */
  readonly verified: Sgr;
  /** A person's move, as a filled sign. */
  readonly pill: Sgr;
  /** Behind the row that is selected; nothing where the sign and bold have to do. */
  readonly selected: Sgr;
  readonly green: Sgr;
  readonly yellow: Sgr;
  /** An agent's own color. */
  agent(agentType: string | undefined): Sgr;
}

const indexed = (color: number): Sgr => `38;5;${color}`;

function tones(
  [dim, edge, watch, broken, you, verified]: readonly [
    number,
    number,
    number,
    number,
    number,
    number,
  ],
  [pill, selected]: readonly [Sgr, Sgr],
  background: Background,
  otherAgents: number,
) {
  return {
    bold: "1",
    dim: indexed(dim),
    edge: indexed(edge),
    struck: `9;${indexed(dim)}`,
    watch: indexed(watch),
    broken: indexed(broken),
    you: indexed(you),
    verified: indexed(verified),
    pill,
    selected,
    green: "32",
    yellow: "33",
    agent: (agentType) =>
      indexed(identityOf(agentType)?.color?.terminal[background] ?? otherAgents),
  } satisfies Tones;
}

export const TONES: Readonly<Record<Background, Tones>> = {
  dark: tones([247, 240, 179, 210, 111, 78], ["1;38;5;16;48;5;111", "48;5;235"], "dark", 145),
  light: tones([241, 102, 94, 124, 26, 28], ["1;38;5;231;48;5;26", ""], "light", 59),
};

const NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

/** A colour by one of the eight names of terminals, with `Bright` behind it or not, or `#rrggbb`. */
export function colorNamed(name: string): Sgr | undefined {
  const key = name.toLowerCase();
  if (key === "gray" || key === "grey") return "90";
  const place = NAMES.indexOf(key.replace(/bright$/, ""));
  if (place >= 0) return `${(key.endsWith("bright") ? 90 : 30) + place}`;
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/.exec(key);
  if (!hex) return undefined;
  // The colour cube of 256-colour terminals has six steps a side.
  const [red = 0, green = 0, blue = 0] = hex
    .slice(1)
    .map((part) => Math.round((Number.parseInt(part, 16) / 255) * 5));
  return indexed(16 + 36 * red + 6 * green + blue);
}
