/**
 * config: settings and the files that have them. `settings.ts` is the table of every setting: a new environment
 * variable needs a row there. Commands, agents and lists belong to other layers.
 */
import { GUIDANCE_PRESETS } from "../core/list/policy.ts";
import { REMINDER_KINDS } from "../core/model.ts";

/** The type of a setting's value in a configuration file. The environment has the same value as text. */
export type SettingType =
  | { readonly is: "text"; readonly example: string }
  /** A path; `~/` at its beginning is the home directory of the user. */
  | { readonly is: "path"; readonly example: string }
  /** `true` is `1` in the environment, `false` is an empty variable. */
  | { readonly is: "boolean" }
  | { readonly is: "integer"; readonly least: number; readonly most: number }
  /** `90s`, `5m`, `1h30m`; with `off`, also that word; with `seconds`, also a number. */
  | { readonly is: "duration"; readonly off?: true; readonly seconds?: true }
  | { readonly is: "choice"; readonly of: readonly string[] }
  /** A comma-separated text, or an array. */
  | { readonly is: "choices"; readonly of: readonly string[] }
  | { readonly is: "texts"; readonly example: readonly string[] };

export interface Setting {
  /** Name in a configuration file: that of the variable, e.g. `stall-after` for WAYMARK_STALL_AFTER. */
  readonly key: string;
  readonly variable: string;
  readonly type: SettingType;
  /** A noun phrase or an imperative, without a period. */
  readonly summary: string;
  /** Default value, in words or as it is written. */
  readonly default?: string;
  /**
   * A repository may set it in `.waymark/config.toml`, for agents that work in the repository. Never give this to a setting
   * that runs a command, sends data, names a store or a file, or approves anything.
   */
  readonly project?: true;
  /** The value may contain a password or token and is redacted wherever it is printed. */
  readonly secret?: true;
  /** Why no configuration file can set it. */
  readonly environmentOnly?: string;
}

const PRESET_NAMES = Object.keys(GUIDANCE_PRESETS);
const [USUAL_PRESET] = PRESET_NAMES;

/** Every setting of Waymark, in the order of `waymark help environment`. */
export const SETTINGS: readonly Setting[] = [
  {
    key: "home",
    variable: "WAYMARK_HOME",
    type: { is: "path", example: "~/waymark" },
    summary: "Directory for lists, tasks and other data",
    default: "the data directory of the system, e.g. ~/.local/share/waymark",
    environmentOnly: "hooks look for the directory before any file is read",
  },
  {
    key: "store",
    variable: "WAYMARK_STORE",
    type: { is: "text", example: "postgres://user@host/db" },
    summary: "PostgreSQL URL of a task store shared between machines, e.g. postgres://user@host/db",
    default: "this machine",
    secret: true,
  },
  {
    key: "sqlite-driver",
    variable: "WAYMARK_SQLITE_DRIVER",
    type: { is: "choice", of: ["node", "libsql"] },
    summary: "SQLite driver, node or libsql",
    default: "node, or libsql if Node has none",
  },
  {
    key: "tools",
    variable: "WAYMARK_TOOLS",
    type: { is: "choice", of: ["on", "off"] },
    summary: "off refuses every tool call of a model",
    default: "on",
  },
  {
    key: "max-todos",
    variable: "WAYMARK_MAX_TODOS",
    type: { is: "integer", least: 1, most: 10_000 },
    summary: "Maximum number of todos in a list that an agent writes",
    default: "20",
    project: true,
  },
  {
    key: "guidance",
    variable: "WAYMARK_GUIDANCE",
    type: { is: "choices", of: ["on", "off", ...REMINDER_KINDS] },
    summary: `off disables all reminders; or the kinds to disable, comma-separated: ${REMINDER_KINDS.join(", ")}`,
    default: "on",
    project: true,
  },
  {
    key: "guidance-preset",
    variable: "WAYMARK_GUIDANCE_PRESET",
    type: { is: "choice", of: PRESET_NAMES },
    summary: `How often agents are reminded: ${PRESET_NAMES.join(", ")}`,
    ...(USUAL_PRESET !== undefined && { default: USUAL_PRESET }),
    project: true,
  },
  {
    key: "plan-every",
    variable: "WAYMARK_PLAN_EVERY",
    type: { is: "integer", least: 0, most: 9_999 },
    summary: "Turns between reminders that plan mode is on",
    default: "0, never",
    project: true,
  },
  {
    key: "off-in",
    variable: "WAYMARK_OFF_IN",
    type: { is: "choices", of: ["commit", "pull-request"] },
    summary: "Refuse list writes during these operations: commit, pull-request, or both",
    project: true,
  },
  {
    key: "stop-check",
    variable: "WAYMARK_STOP_CHECK",
    type: { is: "text", example: "test" },
    summary:
      "Name of the check that runs when an agent stops with completed todos that are not proven; 1 for the default check",
    default: "none",
  },
  {
    key: "stop-check-timeout",
    variable: "WAYMARK_STOP_CHECK_TIMEOUT",
    type: { is: "duration" },
    summary: "Time limit of that check; the agent's own limit for hooks has to be longer",
    default: "50s",
  },
  {
    key: "collisions",
    variable: "WAYMARK_COLLISIONS",
    type: { is: "choice", of: ["worktree", "repository", "off"] },
    summary:
      "Notify agents that edit the same file: worktree, repository (also in other worktrees of it), or off",
    default: "worktree",
    project: true,
  },
  {
    key: "collision-window",
    variable: "WAYMARK_COLLISION_WINDOW",
    type: { is: "duration" },
    summary: "Time for which an edit by another agent counts",
    default: "15m",
    project: true,
  },
  {
    key: "stall-after",
    variable: "WAYMARK_STALL_AFTER",
    type: { is: "duration" },
    summary: "Time without activity after which an agent counts as stalled",
    default: "60s",
  },
  {
    key: "stall-after-running",
    variable: "WAYMARK_STALL_AFTER_RUNNING",
    type: { is: "duration" },
    summary: "The same while a command runs",
    default: "5m, or three times its longest earlier run",
  },
  {
    key: "stall-steps",
    variable: "WAYMARK_STALL_STEPS",
    type: { is: "texts", example: ["notify", "message", "command:5m", "release:15m"] },
    summary:
      "Steps when an agent stalls or loops, in order, each with its delay: notify, message, command:5m, release:15m; or off",
    default: "notify,message,command",
  },
  {
    key: "on-stalled",
    variable: "WAYMARK_ON_STALLED",
    type: { is: "text", example: "~/bin/on-stalled" },
    summary: "Shell command for the step command; receives the stall as JSON on standard input",
    default: "none",
    secret: true,
  },
  {
    key: "clear-delay",
    variable: "WAYMARK_CLEAR_DELAY",
    type: { is: "duration", off: true, seconds: true },
    summary: "Hide a todo this long after it was closed: seconds, 90s, 5m or off",
    default: "only a finished list, after 60s; the board and the page hide none",
  },
  {
    key: "archive-after",
    variable: "WAYMARK_ARCHIVE_AFTER",
    type: { is: "duration", off: true },
    summary: "Archive sessions without a change for this long, e.g. 7d, unless they wait for you",
    default: "off",
  },
  {
    key: "notify",
    variable: "WAYMARK_NOTIFY",
    type: { is: "texts", example: ["desktop", "bell"] },
    summary:
      "Notify when an agent needs you, finishes, stalls or loops: desktop, bell, webhook=URL",
    default: "none",
    secret: true,
  },
  {
    key: "otlp",
    variable: "WAYMARK_OTLP",
    type: { is: "text", example: "http://localhost:4318" },
    summary: "URL of an OpenTelemetry collector to which `waymark serve` sends traces and metrics",
    default: "none",
    secret: true,
  },
  {
    key: "otlp-headers",
    variable: "WAYMARK_OTLP_HEADERS",
    type: { is: "texts", example: ["authorization=Bearer%20TOKEN"] },
    summary: "HTTP headers for the collector: key=value, comma-separated, values percent-encoded",
    default: "OTEL_EXPORTER_OTLP_HEADERS",
    secret: true,
  },
  {
    key: "otlp-content",
    variable: "WAYMARK_OTLP_CONTENT",
    type: { is: "boolean" },
    summary: "1 includes titles of sessions and texts of todos in the traces",
    default: "off",
  },
  {
    key: "prices",
    variable: "WAYMARK_PRICES",
    type: { is: "path", example: "~/prices.json" },
    summary: "JSON file with prices of models, which take precedence over the built-in ones",
    default: "built-in prices",
  },
  {
    key: "ascii",
    variable: "WAYMARK_ASCII",
    type: { is: "boolean" },
    summary: "1 draws with ASCII only, as TERM=linux and locales without UTF-8 do",
    default: "by locale",
  },
  {
    key: "no-mouse",
    variable: "WAYMARK_NO_MOUSE",
    type: { is: "boolean" },
    summary: "1 leaves the mouse to the terminal while the board is open",
    default: "off",
  },
  {
    key: "debug",
    variable: "WAYMARK_DEBUG",
    type: { is: "boolean" },
    summary: "1 prints the stack trace of an error",
    default: "off",
  },
];
