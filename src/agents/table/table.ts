import type { Status } from "../../core/model.ts";
import type { ItemShape } from "../common/values.ts";
import type { Identity } from "../identity.ts";
import type { Markers } from "./checklist.ts";
import type { FORMS } from "./forms.ts";
import type { Where } from "./paths.ts";

/** An agent whose way of keeping a list can be declared: to add one, add a row. */
export interface Row extends Pick<Identity, "id" | "name" | "code" | "proof"> {
  /** How calls and results stand in its records. */
  readonly form: keyof typeof FORMS;
  /** Records may lie in an envelope of one of these names. */
  readonly unwrap?: readonly string[];
  /** What the list tool is called. */
  readonly tools: readonly string[];
  readonly list?: ListShape;
  /** Records that carry the whole list without a call. */
  readonly snapshots?: readonly Snapshot[];
  readonly session?: readonly SessionShape[];
  readonly ends?: readonly EndShape[];
  /** Records that no other agent writes. */
  readonly own?: readonly Where[];
  readonly places?: readonly PlaceShape[];
  /** What to ask of a database: the rows, each under its name, are one record. */
  readonly sql?: Readonly<Record<string, string>>;
}

/** Where a list stands and what it is made of. */
export interface ListShape {
  /** Where in what the call was made with. */
  readonly args: string;
  /** Where in the data of the result: better, where it is there. */
  readonly data?: string;
  readonly kind: "items" | "markdown" | "steps";
  readonly item?: ItemShape;
  readonly markers?: Markers;
  /** A write with this flag changes the known list by id instead of replacing it. */
  readonly merge?: string;
  /** Of several commands, the one that writes; without it every call with a list does. */
  readonly command?: { readonly at: string; readonly writes: readonly string[] };
  /** Tells the tool from others of its name: what else must be in the call. */
  readonly with?: Where;
  /** Commands that change a list by the places of its entries. */
  readonly steps?: StepShape;
  /** A result that begins like this is a refusal, where no flag says so. */
  readonly refused?: RegExp;
  readonly explanation?: string;
}

/** Commands by place, counted from 0. */
export interface StepShape {
  readonly create: string;
  readonly complete: string;
  readonly add: string;
  readonly insertAt: string;
  readonly remove: string;
  /** Where the list stands in the state that the result repeats. */
  readonly state: string;
}

export interface Snapshot {
  readonly when: Where;
  readonly unless?: Where;
  /** Where the record has a text with JSON in it that holds the list. */
  readonly inside?: string;
  readonly insideWhen?: Where;
  readonly list: string;
  readonly kind: "items" | "markdown";
  readonly item?: ItemShape;
  readonly markers?: Markers;
  /** What tells this write from others; without it, its content does. */
  readonly key?: string;
  readonly at?: string;
  /** Entries of another list that name which item waits for which. */
  readonly blockers?: { readonly list: string; readonly item: string; readonly on: string };
}

interface SessionShape {
  readonly when: Where;
  readonly id: string;
  readonly cwd?: string;
  readonly model?: string;
  readonly version?: string;
  readonly title?: string;
}

interface EndShape {
  readonly when: Where;
  readonly type: "turn.completed" | "turn.failed" | "turn.cancelled" | "session.ended";
  readonly message?: string;
}

export interface PlaceShape {
  readonly env?: string;
  /** Below which folder of the machine, where the variable is not set. */
  readonly base: "home" | "data" | "editor";
  readonly path: readonly string[];
  readonly depth: number;
  readonly kind: "file" | "document" | "sqlite";
  /** The path below, joined with slashes; the first group is the session. */
  readonly file: RegExp;
}

const BOX: Markers = { " ": "pending", x: "completed", X: "completed" };
/** Roo and VS Code: a dash is work under way, where others mean a cancelled item. */
const ROO_BOX: Markers = {
  ...BOX,
  "-": "in_progress" satisfies Status,
  "~": "in_progress" satisfies Status,
};
const CONTENT: ItemShape = { text: ["content"] };

export const TABLE: readonly Row[] = [
  {
    id: "copilot-vscode",
    name: "Copilot Chat in VS Code",
    code: "cv",
    proof: "documentation only",
    form: "vscode",
    tools: ["manage_todo_list", "manageTodoList", "todo", "todos"],
    list: {
      args: "todoList",
      data: "todoList",
      kind: "items",
      item: { text: ["title"], id: ["id"] },
    },
    session: [{ when: { sessionId: "*", requests: "*" }, id: "sessionId", title: "customTitle" }],
    own: [{ sessionId: "*", requests: "*", responderUsername: "*" }],
    places: [
      {
        base: "editor",
        path: ["workspaceStorage"],
        depth: 2,
        kind: "document",
        file: /^[^/]+\/chatSessions\/([\w-]+)\.json$/,
      },
    ],
  },
  {
    id: "copilot",
    name: "Copilot CLI",
    code: "cp",
    proof: "documentation only",
    form: "copilot",
    tools: ["update_todo"],
    list: { args: "todos", kind: "markdown", markers: ROO_BOX },
    snapshots: [
      {
        when: { todos: "*", todo_deps: "*" },
        list: "todos",
        kind: "items",
        item: { text: ["title", "description"], id: ["id"] },
        blockers: { list: "todo_deps", item: "todo_id", on: "depends_on" },
      },
    ],
    session: [
      {
        when: { type: "session.start" },
        id: "data.sessionId",
        cwd: "data.context.cwd",
        model: "data.selectedModel",
        version: "data.copilotVersion",
      },
    ],
    ends: [
      { when: { type: "session.idle" }, type: "turn.completed" },
      { when: { type: "session.error" }, type: "turn.failed", message: "data.message" },
      { when: { type: "abort" }, type: "turn.cancelled" },
      { when: { type: "session.shutdown" }, type: "session.ended" },
    ],
    own: [
      { type: "session.start", "data.copilotVersion": "*" },
      { type: "session.todos_changed" },
      { type: "tool.execution_start", "data.toolCallId": "*" },
    ],
    sql: {
      todos: "SELECT id, title, description, status FROM todos ORDER BY created_at, rowid",
      todo_deps: "SELECT todo_id, depends_on FROM todo_deps",
    },
    places: [
      {
        env: "COPILOT_HOME",
        base: "home",
        path: [".copilot"],
        depth: 2,
        kind: "file",
        file: /^session-state\/([\w-]+)(?:\/events)?\.jsonl$/,
      },
      {
        env: "COPILOT_HOME",
        base: "home",
        path: [".copilot"],
        depth: 2,
        kind: "sqlite",
        file: /^session-state\/([\w-]+)\/session\.db$/,
      },
    ],
  },
  {
    id: "cursor",
    name: "Cursor",
    code: "cu",
    proof: "documentation only",
    form: "cursor",
    tools: ["updateTodosToolCall", "readTodosToolCall", "todoWriteToolCall"],
    list: {
      args: "todos",
      data: "todos",
      kind: "items",
      item: { text: ["content"], id: ["id"] },
      merge: "merge",
    },
    session: [
      {
        when: { type: "system", subtype: "init" },
        id: "session_id",
        cwd: "cwd",
        model: "model",
      },
    ],
    ends: [
      { when: { type: "result", is_error: true }, type: "turn.failed", message: "result" },
      { when: { type: "result" }, type: "turn.completed" },
    ],
    own: [{ type: "tool_call", call_id: "*", tool_call: "*" }],
  },
  {
    id: "grok",
    name: "Grok Build",
    code: "gr",
    proof: "documentation only",
    form: "openai",
    tools: ["todo_write"],
    list: {
      args: "todos",
      kind: "items",
      item: { text: ["content"], id: ["id"] },
      merge: "merge",
      with: { merge: "*" },
    },
  },
  {
    id: "roo",
    name: "Roo Code",
    code: "ro",
    proof: "documentation only",
    form: "anthropic",
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
        // No result stands in this file; Roo itself takes its list back from here.
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
    own: [{ type: "say", say: "user_edit_todos" }],
    places: [
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
    id: "cline",
    name: "Cline",
    code: "cl",
    proof: "documentation only",
    form: "none",
    tools: [],
    snapshots: [
      {
        when: { type: "say", say: "task_progress", text: "*" },
        list: "text",
        kind: "markdown",
        markers: BOX,
        key: "ts",
        at: "ts",
      },
    ],
    own: [{ type: "say", say: "task_progress" }],
    places: [
      {
        base: "editor",
        path: ["globalStorage", "saoudrizwan.claude-dev", "tasks"],
        depth: 1,
        kind: "document",
        file: /^([\w-]+)\/ui_messages\.json$/,
      },
      {
        env: "CLINE_DIR",
        base: "home",
        path: [".cline"],
        depth: 3,
        kind: "document",
        file: /^data\/tasks\/([\w-]+)\/ui_messages\.json$/,
      },
    ],
  },
  {
    id: "goose",
    name: "Goose",
    code: "go",
    proof: "documentation only",
    form: "goose",
    unwrap: ["message"],
    tools: ["todo_write", "todo_read"],
    list: { args: "content", kind: "markdown", markers: BOX },
    session: [{ when: { working_dir: "*" }, id: "id", cwd: "working_dir", title: "description" }],
    ends: [{ when: { type: "complete" }, type: "turn.completed" }],
    own: [{ role: "assistant", "content.*.type": "toolRequest" }],
    places: [
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
    proof: "documentation only",
    form: "kiro",
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
    own: [{ ToolUse: "*" }, { ToolUseResults: "*" }, { id: "*", tasks: "*", modified_files: "*" }],
  },
  {
    id: "langchain",
    name: "LangChain",
    code: "lc",
    proof: "documentation only",
    form: "langchain",
    unwrap: ["kwargs", "data"],
    tools: ["write_todos"],
    list: { args: "todos", kind: "items", item: CONTENT },
    snapshots: [
      { when: { todos: "*", messages: "*" }, list: "todos", kind: "items", item: CONTENT },
      { when: { "tools.todos": "*" }, list: "tools.todos", kind: "items", item: CONTENT },
    ],
  },
  {
    id: "crush",
    name: "Crush",
    code: "cr",
    proof: "documentation only",
    form: "crush",
    tools: ["todos"],
    list: {
      args: "todos",
      data: "todos",
      kind: "items",
      item: { text: ["content"], activeText: ["active_form"] },
    },
    own: [{ "parts.*.data": "*" }],
  },
  {
    id: "openhands",
    name: "OpenHands",
    code: "oh",
    proof: "documentation only",
    form: "openhands",
    tools: ["task_tracker"],
    list: {
      args: "task_list",
      data: "task_list",
      kind: "items",
      item: { text: ["title"], id: ["id"] },
      command: { at: "command", writes: ["plan"] },
    },
    own: [{ kind: "ActionEvent" }, { kind: "ObservationEvent" }, { action: "task_tracking" }],
  },
  {
    id: "kimi",
    name: "Kimi",
    code: "km",
    proof: "documentation only",
    form: "openai",
    tools: ["SetTodoList", "TodoList"],
    list: {
      args: "todos",
      kind: "items",
      item: { text: ["title"] },
      refused: /^\s*<system>\s*ERROR/i,
    },
    own: [{ "tool_calls.*.function.name": "SetTodoList" }],
    places: [
      {
        env: "KIMI_SHARE_DIR",
        base: "home",
        path: [".kimi"],
        depth: 3,
        kind: "file",
        file: /^sessions\/[^/]+\/([\w-]+)\/context\.jsonl$/,
      },
    ],
  },
  {
    id: "zed",
    name: "Zed",
    code: "zd",
    proof: "documentation only",
    form: "zed",
    tools: ["update_plan"],
    list: {
      args: "steps",
      kind: "items",
      item: { text: ["title"] },
      explanation: "title",
    },
    own: [{ "Agent.content": "*" }],
  },
];
