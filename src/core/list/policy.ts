import { type Author, REMINDER_KINDS, type ReminderKind } from "../model.ts";

/** The reaction to a write that leaves more than one todo in progress. */
export type ActiveRule =
  /** The write is refused. */
  | "reject"
  /** The first one stays in progress, the others become pending. */
  | "normalise"
  /** All of them stay in progress. */
  | "allow";

/** The limits and rules of list writes. */
export interface Policy {
  readonly active: ActiveRule;
  /** Start the first pending todo after a write that leaves none in progress. */
  readonly promote: boolean;
  readonly maxTodos: number;
  /** Characters of a text or an active text. */
  readonly maxText: number;
  readonly maxNotes: number;
  /** Characters of a note, a reason or a piece of evidence. */
  readonly maxNote: number;
  /** Refuse texts with control characters or bidirectional overrides. */
  readonly strictText: boolean;
  /** Seconds until a finished list disappears from the display: 0 for at once, negative for never. */
  readonly clearDelay: number;
}

/** One todo in progress, short lists, short texts. */
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

/** Policies by name, for `createTracker({ policy: PRESETS.ops })`. */
export const PRESETS = {
  /** The default: `todos` and the tools that write the whole list. */
  strict: {},
  /** The operations tool: keeps one todo in progress by itself, and takes long lists. */
  ops: { active: "normalise", promote: true, maxTodos: 1_000 },
  /** Repairs lists instead of refusing them, and takes long ones. */
  repair: { active: "normalise", maxTodos: 256, maxText: 4_000 },
  /** Writes of the user, who may make a list longer than a model may. */
  user: { active: "normalise", maxTodos: 1_000 },
  /** Transcripts of other agents, which are shown as they were written. */
  external: {
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
export function policyFor(
  by: Author,
  ...overrides: readonly (Partial<Policy> | undefined)[]
): Policy {
  return Object.assign({}, DEFAULT_POLICY, by === "user" ? PRESETS.user : {}, ...overrides);
}

const MOST_TODOS = 10_000;

/** Parses a maximum number of todos, from 1 to 10,000. */
export function readMaxTodos(value: string | undefined): number | undefined {
  const count = /^\d{1,5}$/.test(value ?? "") ? Number(value) : 0;
  return count >= 1 && count <= MOST_TODOS ? count : undefined;
}

/** `WAYMARK_MAX_TODOS`. */
export function policyFromEnv(env: Readonly<Record<string, string | undefined>>): Partial<Policy> {
  const maxTodos = readMaxTodos(env.WAYMARK_MAX_TODOS);
  return maxTodos === undefined ? {} : { maxTodos };
}

/** When reminders are sent, and how long they may be. */
export interface GuidancePolicy {
  /** Kinds that are never sent. */
  readonly off: readonly ReminderKind[];
  /** Steps without a list write after which the list is stale. */
  readonly staleAfter: number;
  /** Steps between two reminders about the list. */
  readonly staleEvery: number;
  /** Edits without a list write after which the agent is reminded. */
  readonly editsAfter: number;
  /** Reminders about edits between two list writes. */
  readonly editsCap: number;
  /** Completed todos without any evidence after which it is asked for. */
  readonly evidenceAfter: number;
  /** Steps between reminders about plan mode; 0 for none. */
  readonly planEvery: number;
  /** How often a stop with open todos is answered for each prompt of the user. */
  readonly stopCap: number;
  /** Characters of each reminder, its frame included. */
  readonly caps: Readonly<Record<ReminderKind, number>>;
  /** Prefixes of further commands that count as checks. */
  readonly checks: readonly string[];
  /** Names of further tools that count as edits. */
  readonly edits: readonly string[];
}

/** The default reminder settings. */
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
    check: 1_600,
    collision: 800,
    stalled: 500,
  },
  checks: [],
  edits: [],
};

/** Reminder settings by name, for `guidance` of `createTracker`. */
export const GUIDANCE_PRESETS = {
  /** After 10 turns, then every 10. */
  claude: { staleAfter: 10, staleEvery: 10 },
  /** After 7 turns, then every 3, and every 5 in plan mode. */
  "claude-7-3": { staleAfter: 7, staleEvery: 3, planEvery: 5 },
  /** After 10 turns, then at every turn. */
  gencode: { staleAfter: 10, staleEvery: 1 },
} as const satisfies Record<string, Partial<GuidancePolicy>>;

/** The name of a guidance preset. */
export type GuidancePreset = keyof typeof GUIDANCE_PRESETS;

/** Deprecated names that `WAYMARK_GUIDANCE_PRESET` still accepts. */
const FORMER_PRESETS: Readonly<Record<string, GuidancePreset>> = {
  seed000: "gencode",
  seed003: "claude-7-3",
};

function presetNamed(name: string): Partial<GuidancePolicy> | undefined {
  const current = Object.hasOwn(FORMER_PRESETS, name) ? FORMER_PRESETS[name] : name;
  return Object.entries(GUIDANCE_PRESETS).find(([each]) => each === current)?.[1];
}

/** The default guidance with overrides. */
export function guidanceFor(
  ...overrides: readonly (Partial<GuidancePolicy> | undefined)[]
): GuidancePolicy {
  return Object.assign({}, DEFAULT_GUIDANCE, ...overrides);
}

/** `WAYMARK_GUIDANCE`, `WAYMARK_GUIDANCE_PRESET` and `WAYMARK_PLAN_EVERY`. */
export function guidanceFromEnv(
  env: Readonly<Record<string, string | undefined>>,
): Partial<GuidancePolicy> {
  const preset = presetNamed(env.WAYMARK_GUIDANCE_PRESET ?? "");
  const named = (env.WAYMARK_GUIDANCE ?? "").split(/[\s,]+/);
  const off = named.includes("off")
    ? REMINDER_KINDS
    : REMINDER_KINDS.filter((kind) => named.includes(kind));
  const planEvery = /^\d{1,4}$/.test(env.WAYMARK_PLAN_EVERY ?? "")
    ? { planEvery: Number(env.WAYMARK_PLAN_EVERY) }
    : {};
  return { ...preset, ...planEvery, ...(off.length > 0 && { off }) };
}
