import { DEFAULT_POLICY, type Policy } from "../list/policy.ts";
import { code, joinText, line, type ModelText, modelText } from "../text/model-text.ts";

/**
 * Everything a model is told about its list, in one place and in two sizes. Facts only; nothing
 * here asks the model to keep anything from the person it works for.
 */

/** How much a prompt or a description says. */
export type Size = "short" | "full";

const USE_WHEN = [
  "the work takes three or more steps, or needs thought before the first one",
  "the person asks for several things, or for a list",
  "new instructions arrive: write them down before acting on them",
  "you find work along the way that must not be forgotten",
];

const SKIP_WHEN = [
  "one obvious action does the job",
  "the question only wants an answer",
  "writing the list would cost more than the work",
];

const HABITS = [
  "Start a todo before you work on it, and have one in progress, not several.",
  "Finish it the moment it is done, one by one, never in a batch at the end.",
  "Drop what is no longer needed; add what turns up.",
];

const DONE_MEANS = [
  "it does what was asked, wholly",
  "its tests, build or checks ran after the last edit and passed",
  "no error or missing piece is left open; if one is, the todo stays in progress and what holds it up becomes a todo of its own",
];

const BREAKDOWN = [
  "Each todo is one result that can be checked.",
  'Word it as an order ("Add the index"); the active text says the same as it happens ("Adding the index").',
  "Split what would stay in progress for long; join what takes a moment.",
];

function bullets(lines: readonly string[]): ModelText {
  return joinText(
    lines.map((each) => modelText`- ${line(each)}`),
    "\n",
  );
}

/**
 * The part of a system prompt that explains the todo list to the model.
 *
 * @param tool the name that the model calls the list tool by
 * @param size how much it says (default: `short`)
 * @returns the text in Markdown
 */
export function systemPrompt(tool: string, size: Size = "short"): ModelText {
  const name = code(tool);
  if (size === "short")
    return joinText(
      [
        modelText`# Your todo list`,
        modelText`Keep a list with the ${name} tool when work takes three or more steps. It is your memory when the conversation is cut short, and how the person sees what you do. Have one todo in progress, finish each as soon as it is really done and checked, and add what you discover.`,
      ],
      "\n",
    );
  return joinText(
    [
      modelText`# Your todo list`,
      modelText`The ${name} tool keeps a list for you. It outlives a shortened conversation, so it is your memory; it is shown live, so it is the person's view of your work.`,
      modelText`Use it when\n${bullets(USE_WHEN)}`,
      modelText`Leave it when\n${bullets(SKIP_WHEN)}`,
      modelText`While you work\n${bullets(HABITS)}`,
      modelText`A todo is completed when\n${bullets(DONE_MEANS)}`,
      modelText`Good todos\n${bullets(BREAKDOWN)}`,
    ],
    "\n\n",
  );
}

/** One line for the end of a system prompt. */
export function footer(tool: string): ModelText {
  return modelText`Before each step look at your list; after each step bring it up to date with ${code(tool)}.`;
}

const FULL = [
  `Use when\n${bullets(USE_WHEN)}`,
  `Skip when\n${bullets(SKIP_WHEN)}`,
  bullets(HABITS),
  `Completed means\n${bullets(DONE_MEANS)}`,
].join("\n\n");

/** What each tool does, in one breath. The full size adds when and how to use any of them. */
const TOOLS = {
  todos:
    "Your todo list: memory that outlasts the context, and what the person sees of your work. Use it for work of 3+ steps; skip it for one-step jobs.\n" +
    'No arguments: read. `todos`: write the whole list. Otherwise change parts, naming a todo by its id (or text): {"finish":["3"],"start":"4"}. Start before you work, one at a time; finish only what is done and checked, saying how in `evidence`.',
  TodoWrite:
    "Replace your todo list. content: imperative (Run the tests). activeForm: present continuous (Running the tests). At most one entry is in_progress.",
  "todo_write.ops":
    "Change your todo list by operations, applied in order. Tasks and phases are named by their exact text. When none is in progress the first open task is started.",
  update_plan:
    "Replace your plan: its steps and their statuses. At most one is in_progress. explanation: why the plan changed.",
  write_todos:
    "Replace your todo list. At most one is in_progress. Given up: cancelled; waiting: blocked.",
  todo: "Your task list. No arguments: read. With todos it is replaced, or with merge=true changed: known ids are updated, others added at the end. At most one in_progress.",
  todowrite:
    "Replace your todo list. status is pending, in_progress (one at most), completed or cancelled; priority high, medium or low.",
  "todo_write.qwen":
    "Replace your todo list. Each entry keeps its own id in every write. blockedBy names the ids that must be completed first. At most one is in_progress.",
} as const;

/** The id of a tool on a todo list. */
export type ToolId = keyof typeof TOOLS;

/** Longer lists than this are not written by accident: their limit is not worth the bytes. */
const MOST_STATED = 100;

/** With the limits that a call is held to: a model that does not know them runs into them. */
export function describeTool(
  id: ToolId,
  size: Size = "short",
  { maxTodos, maxText }: Pick<Policy, "maxTodos" | "maxText"> = DEFAULT_POLICY,
): string {
  const isHeld = maxTodos <= MOST_STATED;
  const limits = isHeld ? ` At most ${maxTodos} todos of ${maxText} characters.` : "";
  return [`${TOOLS[id]}${limits}`, ...(size === "full" ? [FULL] : [])].join("\n\n");
}

/** The tools on the tasks of the whole team. */
const TASK_TOOLS = {
  tasks:
    'The team\'s tasks; each has one holder at a time. No arguments: what is ready and what you hold. claim: an id, or "next". Then finish it (evidence: what proves it), fail it (with reason) or release it. add: new tasks. block: let one wait for others. show: one in full. find: by status.',
  TaskCreate:
    "Add a task for the team. subject is an order (Run the tests), activeForm the same as it happens.",
  TaskUpdate:
    "Change a task. status: in_progress takes it for you (or for owner), completed closes it, pending gives it back, deleted cancels it. addBlockedBy: what it waits for. null in metadata removes a key.",
  TaskGet: "Everything of one task.",
  TaskList: "The team's tasks: who has what, and what waits for what.",
} as const;

/** The id of a tool on the team's tasks. */
export type TaskToolId = keyof typeof TASK_TOOLS;

const TEAM_HABITS = [
  "Claim a task before you begin it; what another holds is not yours to do.",
  "Finish it with what proves it. If you will not finish it, fail it or give it back at once.",
  "Add the work that you find, and say what waits for what.",
  "A task that you hold is a todo of your list as well; finishing either finishes both.",
];

export function describeTaskTool(id: TaskToolId, size: Size = "short"): string {
  return size === "short" ? TASK_TOOLS[id] : `${TASK_TOOLS[id]}\n\n${bullets(TEAM_HABITS)}`;
}

/**
 * The part of a system prompt that explains the team's tasks to the model.
 *
 * @param tool the name that the model calls the task tool by
 * @returns the text in Markdown
 */
export function taskPrompt(tool: string): ModelText {
  return joinText(
    [
      modelText`# The team's tasks`,
      modelText`Work that several agents share is taken with ${code(tool)}: claim a task before you begin, so that nobody else does, and finish it with what proves it, or give it back.`,
    ],
    "\n",
  );
}
