import type { Status } from "../../core/model.ts";
import type { ItemShape } from "../common/values.ts";
import type { Identity } from "../identity.ts";
import type { Markers } from "./checklist.ts";
import type { RECORD_FORMATS } from "./formats.ts";
import type { Condition } from "./paths.ts";

/** An agent whose list format can be declared. To add such an agent, add a row. */
export interface Row extends Pick<Identity, "id" | "name" | "code" | "basis"> {
  readonly program?: Pick<Identity, "command" | "resumeCommand" | "clients">;
  /** How its records represent calls and results. */
  readonly format: keyof typeof RECORD_FORMATS;
  /** Fields that may wrap a record. */
  readonly unwrap?: readonly string[];
  /** The names of the list tool. */
  readonly tools: readonly string[];
  /** Strings of other lines that have a list. */
  readonly needles?: readonly string[];
  readonly list?: ListShape;
  /** Records that have the whole list without a call. */
  readonly snapshots?: readonly Snapshot[];
  readonly session?: readonly SessionShape[];
  readonly ends?: readonly EndShape[];
  /** Records that no other agent writes. */
  readonly distinctive?: readonly Condition[];
  readonly locations?: readonly LocationShape[];
  /** Database queries by name. The rows of all queries make one record. */
  readonly sql?: Readonly<Record<string, string>>;
}

/** Where a list is in a call, and its format. */
export interface ListShape {
  /** The path in the input of the call. */
  readonly args: string;
  /** The path in the data of the result, which is preferred. */
  readonly data?: string;
  readonly kind: "items" | "markdown" | "steps";
  readonly item?: ItemShape;
  readonly markers?: Markers;
  /** The path of a flag: such a write updates the known list by id instead of replacing it. */
  readonly merge?: string;
  /** The commands that write. If absent, every call with a list writes. */
  readonly command?: { readonly at: string; readonly writes: readonly string[] };
  /** Fields that a call must have, to distinguish the tool from others of the same name. */
  readonly requires?: Condition;
  /** Commands that refer to entries by index. */
  readonly steps?: StepShape;
  /** Matches results that are refusals without an error flag. */
  readonly refused?: RegExp;
  readonly explanation?: string;
}

/** Paths in commands that refer to entries by index, from 0. */
export interface StepShape {
  readonly create: string;
  readonly complete: string;
  readonly add: string;
  readonly insertAt: string;
  readonly remove: string;
  /** The path of the list in the state that the result repeats. */
  readonly state: string;
}

export interface Snapshot {
  readonly when: Condition;
  readonly unless?: Condition;
  /** The path of a JSON string that contains the list. */
  readonly inside?: string;
  readonly insideWhen?: Condition;
  readonly list: string;
  readonly kind: "items" | "markdown";
  readonly item?: ItemShape;
  readonly markers?: Markers;
  /** The path of a unique key. If absent, the content identifies the write. */
  readonly key?: string;
  readonly at?: string;
  /** Dependencies: entries of another array that name an item and its blocker. */
  readonly blockers?: { readonly list: string; readonly item: string; readonly on: string };
}

interface SessionShape {
  readonly when: Condition;
  readonly id: string;
  readonly cwd?: string;
  readonly model?: string;
  readonly version?: string;
  readonly title?: string;
}

interface EndShape {
  readonly when: Condition;
  readonly type: "turn.completed" | "turn.failed" | "turn.cancelled" | "session.ended";
  readonly message?: string;
}

export interface LocationShape {
  readonly env?: string;
  /** The base directory, if the variable is not set. */
  readonly base: "home" | "data" | "editor";
  readonly path: readonly string[];
  readonly depth: number;
  readonly kind: "file" | "document" | "sqlite";
  /** Matches the path below it, joined with slashes. The first group is the session id. */
  readonly file: RegExp;
}

const BOX: Markers = { " ": "pending", x: "completed", X: "completed" };
/** Roo Code and VS Code: a dash means in progress; elsewhere it means cancelled. */
const ROO_BOX: Markers = {
  ...BOX,
  "-": "in_progress" satisfies Status,
  "~": "in_progress" satisfies Status,
};
const CONTENT: ItemShape = { text: ["content"] };

export const TABLE: readonly Row[] = [
  {
    id: "grok",
    name: "Grok Build",
    code: "gr",
    basis: "documentation only",
    format: "openai",
    tools: ["todo_write"],
    list: {
      args: "todos",
      kind: "items",
      item: { text: ["content"], id: ["id"] },
      merge: "merge",
      requires: { merge: "*" },
    },
  },
  {
    id: "roo",
    name: "Roo Code",
    code: "ro",
    basis: "documentation only",
    format: "anthropic",
    tools: ["update_todo_list"],
    list: {
      args: "todos",
      kind: "markdown",
      markers: ROO_BOX,
      refused: /denied this operation|"status":\s*"denied"/,
    },
    snapshots: [
      {
        when: { type: "say", say: "user_edit_todos" },
        inside: "text",
        list: "todos",
        kind: "items",
        item: CONTENT,
        key: "ts",
        at: "ts",
      },
      {
        // This file has no results. Roo Code restores its list from these records, too.
        when: { type: "ask", ask: "tool" },
        unless: { partial: true },
        inside: "text",
        insideWhen: { tool: "updateTodoList" },
        list: "todos",
        kind: "items",
        item: CONTENT,
        key: "ts",
        at: "ts",
      },
    ],
    distinctive: [{ type: "say", say: "user_edit_todos" }],
    locations: [
      {
        base: "editor",
        path: ["globalStorage", "rooveterinaryinc.roo-cline", "tasks"],
        depth: 1,
        kind: "document",
        file: /^([\w-]+)\/(?:ui_messages|api_conversation_history)\.json$/,
      },
    ],
  },
  {
    id: "goose",
    name: "Goose",
    code: "go",
    basis: "documentation only",
    format: "goose",
    unwrap: ["message"],
    tools: ["todo_write", "todo_read"],
    list: { args: "content", kind: "markdown", markers: BOX },
    session: [{ when: { working_dir: "*" }, id: "id", cwd: "working_dir", title: "description" }],
    ends: [{ when: { type: "complete" }, type: "turn.completed" }],
    distinctive: [{ role: "assistant", "content.*.type": "toolRequest" }],
    locations: [
      {
        base: "data",
        path: ["goose", "sessions"],
        depth: 0,
        kind: "file",
        file: /^([\w-]+)\.jsonl$/,
      },
    ],
  },
  {
    id: "kiro",
    name: "Kiro",
    code: "kr",
    basis: "documentation only",
    format: "kiro",
    unwrap: ["assistant", "user", "content"],
    tools: ["todo_list", "todo"],
    list: {
      args: "tasks",
      kind: "steps",
      item: { text: ["task_description", "description"], status: ["completed"] },
      command: { at: "command", writes: ["create", "complete", "add", "remove", "load"] },
      steps: {
        create: "tasks",
        complete: "completed_indices",
        add: "new_tasks",
        insertAt: "insert_indices",
        remove: "remove_indices",
        state: "tasks",
      },
    },
    snapshots: [
      {
        when: { id: "*", tasks: "*", modified_files: "*" },
        list: "tasks",
        kind: "items",
        item: { text: ["task_description", "description"], status: ["completed"] },
      },
    ],
    distinctive: [
      { ToolUse: "*" },
      { ToolUseResults: "*" },
      { id: "*", tasks: "*", modified_files: "*" },
    ],
  },
  {
    id: "crush",
    name: "Crush",
    code: "cr",
    basis: "documentation only",
    format: "crush",
    tools: ["todos"],
    list: {
      args: "todos",
      data: "todos",
      kind: "items",
      item: { text: ["content"], activeText: ["active_form"] },
    },
    distinctive: [{ "parts.*.data": "*" }],
  },
  {
    id: "droid",
    name: "Droid",
    code: "dr",
    basis: "Droid 0.215.0; `droid exec` has no list, so its list over ACP",
    program: {
      command: "droid",
      resumeCommand: "droid --resume SESSION",
      clients: ["factory-cli-mcp-client"],
    },
    format: "droid",
    unwrap: ["message"],
    tools: ["TodoWrite"],
    needles: ['"todo_state"', '"session_start"'],
    snapshots: [
      {
        // Written for every accepted call, with the list as Droid read it. Its ids are positions.
        when: { type: "todo_state" },
        list: "todos.todos",
        kind: "items",
        item: CONTENT,
        key: "id",
      },
    ],
    session: [
      { when: { type: "session_start" }, id: "id", cwd: "cwd", title: "title" },
      {
        when: { type: "system", subtype: "init", reasoning_effort: "*" },
        id: "session_id",
        cwd: "cwd",
        model: "model",
      },
    ],
    ends: [
      { when: { type: "agent_turn_outcome", reason: "completed" }, type: "turn.completed" },
      { when: { type: "completion" }, type: "turn.completed" },
    ],
    distinctive: [
      { type: "session_start", hostId: "*" },
      { type: "todo_state" },
      { type: "tool_call", toolId: "*" },
      { type: "completion", finalText: "*" },
    ],
    locations: [
      {
        base: "home",
        path: [".factory", "sessions"],
        depth: 1,
        kind: "file",
        file: /^(?:[^/]+\/)?([0-9a-f-]{36})\.jsonl$/,
      },
    ],
  },
  {
    id: "openhands",
    name: "OpenHands",
    code: "oh",
    basis: "documentation only",
    format: "openhands",
    tools: ["task_tracker"],
    list: {
      args: "task_list",
      data: "task_list",
      kind: "items",
      item: { text: ["title"], id: ["id"] },
      command: { at: "command", writes: ["plan"] },
    },
    distinctive: [
      { kind: "ActionEvent" },
      { kind: "ObservationEvent" },
      { action: "task_tracking" },
    ],
  },
];
