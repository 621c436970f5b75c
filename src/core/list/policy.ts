import { type By, REMINDER_KINDS, type ReminderKind } from "../model.ts";

/** What happens when a write leaves more than one todo in progress. */
export type ActiveRule =
  /** The write is refused. */
  | "reject"
  /** The first stays, the others go back to pending. */
  | "normalise"
  /** The list is shown as it was written. */
  | "allow";

/** The limits and rules of a list. */
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

/** Named limits of a list, for `createTracker({ policy: PRESETS.ops })`. */
export const PRESETS = {
  /** Whole-list tools: TodoWrite, update_plan, write_todos and the native one. */
  strict: {},
  /** The op tool of seed 001: never refuses over the focus, always has one; only safety caps bind it. */
  ops: { active: "normalise", promote: true, maxTodos: 1_000 },
  /** Repairs rather than refuses, and takes long lists. */
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

/** The name of a policy preset. */
export type Preset = keyof typeof PRESETS;

/** The default policy with overrides. */
export function policyFor(by: By, ...overrides: readonly (Partial<Policy> | undefined)[]): Policy {
  return Object.assign({}, DEFAULT_POLICY, by === "user" ? PRESETS.user : {}, ...overrides);
}

const MOST_TODOS = 10_000;

/** How many todos a list may have, as a person wrote it: on the command line, or for every agent. */
export function readMaxTodos(value: string | undefined): number | undefined {
  const count = /^\d{1,5}$/.test(value ?? "") ? Number(value) : 0;
  return count >= 1 && count <= MOST_TODOS ? count : undefined;
}

/** The limits that a person set for every agent that they start. */
export function policyFromEnv(env: Readonly<Record<string, string | undefined>>): Partial<Policy> {
  const maxTodos = readMaxTodos(env.WAYMARK_MAX_TODOS);
  return maxTodos === undefined ? {} : { maxTodos };
}

/** When the model is told something, and how much. */
export interface GuidancePolicy {
  /** Kinds that are never told. */
  readonly off: readonly ReminderKind[];
  /** Steps without a list write that make the list stale. */
  readonly staleAfter: number;
  /** Steps between one such reminder and the next. */
  readonly staleEvery: number;
  /** Results of edits without a list write that are worth a nudge, and how often in a row. */
  readonly editsAfter: number;
  readonly editsCap: number;
  /** Todos closed with nothing verified that are worth asking for evidence. */
  readonly evidenceAfter: number;
  /** Steps between reminders that plan mode is on; 0 for none. */
  readonly planEvery: number;
  /** How often a stop with open todos is answered, per prompt of a person. */
  readonly stopCap: number;
  /** The most characters of each text, its frame included. */
  readonly caps: Readonly<Record<ReminderKind, number>>;
  /** Beginnings of further commands that check something. */
  readonly checks: readonly string[];
  /** Names of further tools that edit. */
  readonly edits: readonly string[];
}

/** When and how the model is reminded by default. */
export const DEFAULT_GUIDANCE: GuidancePolicy = {
  off: [],
  staleAfter: 10,
  staleEvery: 10,
  editsAfter: 12,
  editsCap: 2,
  evidenceAfter: 3,
  planEvery: 0,
  stopCap: 2,
  caps: {
    introduction: 800,
    initial: 400,
    empty: 400,
    stale: 1_200,
    edits: 500,
    refused: 500,
    changed: 800,
    evidence: 800,
    recovery: 2_000,
    stop: 800,
    loop: 500,
    planning: 400,
  },
  checks: [],
  edits: [],
};

/** Named reminder settings, for `guidance` of `createTracker`. */
export const GUIDANCE_PRESETS = {
  /** Every ten turns. */
  claude: { staleAfter: 10, staleEvery: 10 },
  seed003: { staleAfter: 7, staleEvery: 3, planEvery: 5 },
  seed000: { staleAfter: 10, staleEvery: 1 },
} as const satisfies Record<string, Partial<GuidancePolicy>>;

/** The name of a guidance preset. */
export type GuidancePreset = keyof typeof GUIDANCE_PRESETS;

/** The default guidance with overrides. */
export function guidanceFor(
  ...overrides: readonly (Partial<GuidancePolicy> | undefined)[]
): GuidancePolicy {
  return Object.assign({}, DEFAULT_GUIDANCE, ...overrides);
}

/** What a person set for every agent that they start: which reminders, and how often. */
export function guidanceFromEnv(
  env: Readonly<Record<string, string | undefined>>,
): Partial<GuidancePolicy> {
  const named = env.WAYMARK_GUIDANCE_PRESET ?? "";
  const preset = Object.entries(GUIDANCE_PRESETS).find(([name]) => name === named)?.[1];
  const said = (env.WAYMARK_GUIDANCE ?? "").split(/[\s,]+/);
  const off = said.includes("off")
    ? REMINDER_KINDS
    : REMINDER_KINDS.filter((kind) => said.includes(kind));
  const planEvery = /^\d{1,4}$/.test(env.WAYMARK_PLAN_EVERY ?? "")
    ? { planEvery: Number(env.WAYMARK_PLAN_EVERY) }
    : {};
  return { ...preset, ...planEvery, ...(off.length > 0 && { off }) };
}
