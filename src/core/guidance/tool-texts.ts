/**
 * The texts about each tool that a model reads before it calls one: a description, and a line for every field of its input. They are sent
 * with every request, so each byte is paid for again and again.
 */
export interface ToolText {
  readonly description: string;
  /** By path in the input: `todos[].text`. */
  readonly fields: Readonly<Record<string, string>>;
}

const IMPERATIVE = "Imperative: Run the tests";
const WHOLE_LIST = "The complete list, in order";
const STABLE_ID = "Unique id that stays the same across calls";

export const LIST_TOOLS = {
  todos: {
    description:
      "Your todo list. It survives context compaction, and the user follows it live. Use it for work with 3+ steps. No arguments: read. Start a todo before you work on it, one at a time; finish it once it is done and checked.",
    // Without `status` and `reason`, which say it themselves: `tools/list` with this tool has 1,500 bytes.
    fields: {
      todos: "Replaces the list",
      "todos[].text": "Imperative: Run tests",
      "todos[].activeText": "Running tests",
      start: "Id to work on now",
      finish: "Ids that are done",
      evidence: "Proof: command, file, URL",
      drop: "Ids not needed",
      block: "Id that is stuck",
      add: "New texts",
      note: "Fact for the current todo",
    },
  },
  TodoWrite: {
    description:
      "Replace your todo list. Send every todo each time, including completed ones. Keep at most one in_progress.",
    fields: {
      todos: WHOLE_LIST,
      "todos[].content": IMPERATIVE,
      "todos[].status": "Current status",
      "todos[].activeForm": "Present continuous, shown while in progress: Running the tests",
    },
  },
  "todo_write.ops": {
    description:
      "Change your todo list with a batch of operations, applied in order. Refer to tasks and phases by their exact text. Valid operations are applied even if others fail. If no task is in progress afterwards, the first open task is started.",
    fields: {
      ops: "Operations, in order",
      "ops[].op":
        "init replaces the list, append adds tasks, rm deletes them, view only reads; done, drop and rm without task and phase apply to every task",
      "ops[].list": "init: phases with their tasks",
      "ops[].list[].phase": "Phase name",
      "ops[].list[].items": "Task texts, imperative",
      "ops[].task": "Exact text of a task",
      "ops[].phase": "Exact phase name; without task: all tasks of the phase",
      "ops[].items": "append: task texts",
      "ops[].text": "note: the note",
      "ops[].reason": "block: what the task is waiting for",
      atomic: "Apply all operations or none (default: false)",
    },
  },
  update_plan: {
    description:
      "Replace your plan: its steps and the status of each. Send every step each time. Keep at most one in_progress.",
    fields: {
      explanation: "Why the plan changed; shown to the user",
      plan: "All steps, in order",
      "plan[].step": "One result, imperative: Add the column",
      "plan[].status": "Current status",
    },
  },
  write_todos: {
    description:
      "Replace your todo list. Send every todo each time. Keep at most one in_progress. Mark todos you no longer need as cancelled, and todos that cannot continue as blocked.",
    fields: {
      todos: WHOLE_LIST,
      "todos[].description": IMPERATIVE,
      "todos[].status": "Current status",
    },
  },
  todo: {
    description:
      "Read or change your todo list. Without arguments: returns the list. With todos: replaces it. With todos and merge=true: updates todos with a known id and appends the others. Keep at most one in_progress.",
    fields: {
      todos: "The complete list, or with merge only the todos that change",
      "todos[].id": STABLE_ID,
      "todos[].content": IMPERATIVE,
      "todos[].status": "Current status",
      "todos[].parent": "Id of the todo that this one belongs to",
      merge: "Update by id instead of replacing (default: false)",
    },
  },
  todowrite: {
    description: "Replace your todo list. Send every todo each time. Keep at most one in_progress.",
    fields: {
      todos: WHOLE_LIST,
      "todos[].content": IMPERATIVE,
      "todos[].status": "pending, in_progress, completed or cancelled",
      "todos[].priority": "high, medium or low",
    },
  },
  "todo_write.qwen": {
    description:
      "Replace your todo list. Send every todo each time and keep its id. Keep at most one in_progress.",
    fields: {
      todos: WHOLE_LIST,
      "todos[].id": STABLE_ID,
      "todos[].content": IMPERATIVE,
      "todos[].status": "Current status",
      "todos[].blockedBy": "Ids of todos that must be completed first",
    },
  },
} as const satisfies Readonly<Record<string, ToolText>>;

/** The id of a tool on a todo list. */
export type ToolId = keyof typeof LIST_TOOLS;

const TASK_ID = "Id of the task";

export const TASK_TOOLS = {
  tasks: {
    description:
      "Tasks shared by all agents on this project. Each has at most one owner. Without arguments: ready tasks and your own. Claim a task before you start, then finish it with evidence, fail it with a reason, or release it.",
    // Fields without a line are clear from their enum, from their parent or from an answer: the tool has 1,500 bytes.
    fields: {
      claim: "Id, or next",
      finish: "Id that is done",
      evidence: "Command, file or URL",
      fail: "Id that failed",
      release: "Id you won't finish",
      reason: "Why",
      "add[].subject": "Imperative: Fix the bug",
      "add[].name": "For blockedBy",
      "add[].description": "All details",
      "add[].priority": "0 is most urgent",
      "add[].blockedBy": "Ids or names",
      "add[].check": "Must pass",
      show: "Id to read",
    },
  },
  TaskCreate: {
    description: "Add a task that any agent on this project can claim.",
    fields: {
      subject: "Imperative, one result: Fix the time zone",
      description: "Everything needed to do it without this conversation",
      activeForm: "Present continuous: Fixing the time zone",
      metadata: "Your own keys and values",
    },
  },
  TaskUpdate: {
    description:
      "Change a task. Set status to in_progress to claim it, completed to finish it, pending to release it, deleted to cancel it.",
    fields: {
      taskId: TASK_ID,
      subject: "New subject",
      description: "New description",
      activeForm: "New present continuous text",
      status: "New status",
      owner: "Agent that works on it (default: you)",
      addBlockedBy: "Ids of tasks it has to wait for",
      addBlocks: "Ids of tasks that have to wait for it",
      metadata: "Keys to set; null removes a key",
    },
  },
  TaskGet: {
    description: "Read one task: description, status, owner, dependencies and metadata.",
    fields: { taskId: TASK_ID },
  },
  TaskList: {
    description: "List the project's tasks with status, owner and dependencies.",
    fields: {},
  },
} as const satisfies Readonly<Record<string, ToolText>>;

/** The id of a tool on the team's tasks. */
export type TaskToolId = keyof typeof TASK_TOOLS;

export const PLAN_TOOL: ToolText = {
  description:
    "Propose a plan and wait for the user's decision. Use it when the user asks to see a plan before you act. Until the user approves it, you can read your todo list but not change it. After approval, its steps become your todos. Without arguments: the current plan and its status.",
  fields: {
    propose:
      "Markdown: one paragraph on the approach, then numbered steps. Replaces the previous plan",
  },
};
