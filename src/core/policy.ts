import type { By } from "./model.ts";

/** What happens when a write leaves more than one todo in progress. */
export type ActiveRule =
  /** The write is refused. */
  | "reject"
  /** The first stays, the others go back to pending. */
  | "normalise"
  /** The list is shown as it was written. */
  | "allow";

export interface Policy {
  readonly active: ActiveRule;
  /** After a write that leaves none in progress, the first pending todo is started. */
  readonly promote: boolean;
  readonly maxTodos: number;
  /** In characters, for texts and active texts. */
  readonly maxText: number;
  readonly maxNotes: number;
  /** In characters, for a note, a reason or a piece of evidence. */
  readonly maxNote: number;
  /** Refuse control characters and bidirectional overrides in what is written. */
  readonly strictText: boolean;
  /** Seconds until a finished list leaves the display; 0 at once, negative never. */
  readonly clearDelay: number;
}

/** Seed 000: one focus, a short list, short texts. */
export const DEFAULT_POLICY: Policy = {
  active: "reject",
  promote: false,
  maxTodos: 20,
  maxText: 500,
  maxNotes: 5_000,
  maxNote: 4_000,
  strictText: true,
  clearDelay: 60,
};

export const PRESETS = {
  /** Whole-list tools: TodoWrite, update_plan, write_todos and the native one. */
  strict: {},
  /** The op tool of seed 001: never refuses over the focus, always has one. */
  ops: { active: "normalise", promote: true },
  /** Hermes: repairs rather than refuses, and takes long lists. */
  repair: { active: "normalise", maxTodos: 256, maxText: 4_000 },
  /** A person: the limits that discipline a model do not bind them, the safety caps do. */
  user: { active: "normalise", maxTodos: 1_000 },
  /** Transcripts of other agents: what was written is what is shown. */
  foreign: {
    active: "allow",
    maxTodos: 10_000,
    maxText: 100_000,
    maxNote: 100_000,
    strictText: false,
  },
} as const satisfies Record<string, Partial<Policy>>;

export type Preset = keyof typeof PRESETS;

export function policyFor(by: By, ...overrides: readonly (Partial<Policy> | undefined)[]): Policy {
  return Object.assign({}, DEFAULT_POLICY, by === "user" ? PRESETS.user : {}, ...overrides);
}
