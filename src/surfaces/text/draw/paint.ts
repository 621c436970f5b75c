import { identityOf } from "../../../agents/identities.ts";

/** Parameters of an SGR escape sequence, e.g. `1;38;5;111`. */
export type Sgr = string;

export type Background = "dark" | "light";

export interface Tones {
  readonly bold: Sgr;
  readonly dim: Sgr;
  /** Rules and dots. */
  readonly edge: Sgr;
  readonly struck: Sgr;
  readonly watch: Sgr;
  readonly broken: Sgr;
  readonly you: Sgr;
  /** Verified todos only: nothing else is green. */
  readonly verified: Sgr;
  /** A filled label for what needs the user. */
  readonly pill: Sgr;
  /** Letters that match a search. */
  readonly match: Sgr;
  /** A filter that can be set. */
  readonly chip: Sgr;
  /** A filter that is set. */
  readonly chipOn: Sgr;
  /** Background of the selected row; empty on light terminals, where the pointer marks it. */
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
  [pill, selected, chip, chipOn]: readonly [Sgr, Sgr, Sgr, Sgr],
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
    match: `1;4;${indexed(you)}`,
    chip,
    chipOn,
    selected,
    green: "32",
    yellow: "33",
    agent: (agentType) =>
      indexed(identityOf(agentType)?.color?.terminal[background] ?? otherAgents),
  } satisfies Tones;
}

export const TONES: Readonly<Record<Background, Tones>> = {
  dark: tones(
    [247, 240, 179, 210, 111, 78],
    ["1;38;5;16;48;5;111", "48;5;235", "38;5;252;48;5;237", "1;38;5;111;48;5;237"],
    "dark",
    145,
  ),
  light: tones(
    [241, 102, 94, 124, 26, 28],
    ["1;38;5;231;48;5;26", "", "38;5;238;48;5;254", "1;38;5;26;48;5;254"],
    "light",
    59,
  ),
};

const NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

/** Parses a terminal color name (`red`, `redBright`, `gray`) or `#rrggbb`. */
export function colorNamed(name: string): Sgr | undefined {
  const key = name.toLowerCase();
  if (key === "gray" || key === "grey") return "90";
  const index = NAMES.indexOf(key.replace(/bright$/, ""));
  if (index >= 0) return `${(key.endsWith("bright") ? 90 : 30) + index}`;
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/.exec(key);
  if (!hex) return undefined;
  // The 256-color palette contains a 6x6x6 color cube.
  const [red = 0, green = 0, blue = 0] = hex
    .slice(1)
    .map((part) => Math.round((Number.parseInt(part, 16) / 255) * 5));
  return indexed(16 + 36 * red + 6 * green + blue);
}
