import { CommandError, UsageError } from "../../../core/error.ts";
import { counted } from "../../../core/text/count.ts";
import { oneLine } from "../../../core/text/escape.ts";
import { readTaskLines, type TaskLines } from "../../../tasks/formats/jsonl.ts";
import { readMarkdownLines } from "../../../tasks/formats/markdown.ts";
import { PRIORITIES, type Priority, type TaskDraft } from "../../../tasks/model.ts";
import { parseInteger } from "../../args/arguments.ts";
import { type Call, defineCommand } from "../../args/command.ts";
import { parseTimeAhead } from "../../args/time.ts";
import { reportIgnored } from "../../io/checklist.ts";
import { EXIT, type Exit } from "../../io/exit.ts";
import { readStdin } from "../../io/input.ts";
import type { Terminal } from "../../io/terminal.ts";
import {
  AS_OPTION,
  changeTask,
  refuseTask,
  reportDuplicate,
  sendTask,
  TASK_CHANGE_OPTIONS,
} from "../../options/task-change.ts";

const MAX_INPUT = 256 * 1024 * 1024;

const options = {
  description: { type: "string", value: "TEXT", summary: "Description", perCall: true },
  priority: {
    type: "string",
    value: "0-4",
    summary: "Priority; 0 is the most urgent",
    default: "2",
    completions: PRIORITIES.map(String),
  },
  label: { type: "string", value: "LABEL", summary: "Label; repeat for several", repeatable: true },
  "blocked-by": {
    type: "string",
    value: "TASK",
    summary: "Task that has to be done first; repeat for several",
    completions: "tasks",
    repeatable: true,
    perCall: true,
  },
  parent: {
    type: "string",
    value: "TASK",
    summary: "Parent task",
    completions: "tasks",
    perCall: true,
  },
  "max-attempts": {
    type: "string",
    value: "N",
    summary: "Number of attempts before the task fails",
    default: "3",
  },
  "not-before": {
    type: "string",
    value: "TIME",
    summary: "Earliest claim: ISO 8601, HH:MM or a duration such as 2h",
    perCall: true,
  },
  deadline: {
    type: "string",
    value: "TIME",
    summary: "Time after which it is overdue: ISO 8601, HH:MM or a duration",
    perCall: true,
  },
  check: {
    type: "string",
    value: "NAME",
    summary: "Check that has to pass before the task can be finished",
  },
  ...AS_OPTION,
  ...TASK_CHANGE_OPTIONS,
} as const;

export const add = defineCommand({
  usage: ["SUBJECT [options]", "- [--as OWNER] [--key KEY] [--store URL] [--json]"],
  arguments: [
    {
      name: "SUBJECT",
      summary:
        "Subject of the task; - reads tasks from standard input: one JSON object per line, or a Markdown checklist",
    },
  ],
  options,
  notes: [
    "A JSON line has a subject and optionally description, priority, labels, blockedBy, parent, maxAttempts, notBefore, deadline, check, metadata and id; blockedBy and parent can refer to the id of another line. Either all lines are added or none.",
    'In a checklist, headings are labels, and quoted lines below an item are its description. A comment after an item names it and its blockers: - [ ] Publish <!-- {"ref":"p","blockedBy":["b"]} -->.',
  ],
  examples: [
    {
      command: 'waymark task add "Write the parser" --priority 1 --label core',
      comment: "Add a task",
    },
    {
      command: 'waymark task add "Publish" --blocked-by t1 --blocked-by t2 --json',
      comment: "Add a task that is blocked by two others",
    },
    {
      command: 'waymark task add "Fix the parser" --check test',
      comment: "Add a task that can only be finished after the check named test has passed",
    },
    {
      command: `printf '{"subject":"Build","id":"b"}\\n{"subject":"Go","blockedBy":["b"]}\\n' |\n  waymark task add -`,
      comment: "Add several at once",
    },
  ],
  seeAlso: ["task list", "task block", "task import"],
  async run(call) {
    const [subject = ""] = call.args;
    if (subject === "-") return addLines(call);
    const { values } = call;
    const draft = draftOf(subject, values);
    return changeTask(call, { op: "add", tasks: [draft] }, ({ id, subject: text }) => {
      const blocked = draft.blockedBy?.length ? ` (blocked by ${draft.blockedBy.join(", ")})` : "";
      return `Added ${id}: ${oneLine(text)}${blocked}`;
    });
  },
});

export function parsePriority(given: string): Priority {
  const priority = PRIORITIES.find((each) => String(each) === given);
  if (priority === undefined)
    throw new UsageError(`Invalid --priority "${given.slice(0, 40)}". Use 0 (most urgent) to 4.`);
  return priority;
}

function draftOf(subject: string, values: Call<typeof options>["values"]): TaskDraft {
  const { description, priority, label, parent, check, deadline } = values;
  const blockedBy = values["blocked-by"];
  const attempts = values["max-attempts"];
  const notBefore = values["not-before"];
  return {
    subject,
    ...(description !== undefined && { description }),
    ...(priority !== undefined && { priority: parsePriority(priority) }),
    ...(label !== undefined && { labels: label }),
    ...(blockedBy !== undefined && { blockedBy }),
    ...(parent !== undefined && { parent }),
    ...(attempts !== undefined && { maxAttempts: parseInteger("--max-attempts", attempts, 1) }),
    ...(notBefore !== undefined && {
      notBefore: parseTimeAhead("--not-before", notBefore, Date.now()),
    }),
    ...(deadline !== undefined && { deadline: parseTimeAhead("--deadline", deadline, Date.now()) }),
    ...(check !== undefined && { check }),
  };
}

/** The index of the first draft whose name another draft already has. */
function repeatedName(drafts: readonly TaskDraft[]): number | undefined {
  const names = new Set<string>();
  for (const [index, { name }] of drafts.entries()) {
    if (name === undefined) continue;
    if (names.has(oneLine(name))) return index;
    names.add(oneLine(name));
  }
  return undefined;
}

/** JSON lines, or a checklist if no line starts a JSON object. */
function readTasks(text: string, terminal: Terminal): TaskLines {
  const list = /^[ \t]*\{/m.test(text) ? undefined : readMarkdownLines(text);
  if (!list || list.drafts.length + list.problems.length === 0) return readTaskLines(text);
  reportIgnored(list.ignored, terminal);
  return list;
}

async function addLines(call: Call<typeof options>): Promise<Exit> {
  const { terminal, values } = call;
  const extra = Object.keys(values).find((name) => !["as", "key", "json", "store"].includes(name));
  if (extra !== undefined)
    throw new UsageError(`--${extra} cannot be combined with -. Set it in the JSON lines.`);
  const input = readStdin(MAX_INPUT);
  if (!input.ok)
    throw new CommandError(
      input.problem === "too_large"
        ? `Standard input is larger than ${MAX_INPUT} bytes. Nothing was changed.`
        : "Standard input is not UTF-8 text. Nothing was changed.",
    );
  const { drafts, lines, problems } = readTasks(input.text, terminal);
  const [problem] = problems;
  if (problem) {
    const more =
      problems.length > 1
        ? ` ${counted(problems.length - 1, "more line is", "more lines are")} invalid.`
        : "";
    const message = `Line ${problem.line} ${problem.what}${more} Nothing was changed.`;
    return refuseTask(call, { code: "invalid_input", message });
  }
  if (drafts.length === 0)
    throw new CommandError(
      'Standard input has no tasks. A line looks like {"subject":"..."}, or - [ ] Subject in a checklist.',
    );
  const repeated = repeatedName(drafts);
  if (repeated !== undefined) {
    const message = `Line ${lines[repeated]}: id ${drafts[repeated]?.name} is used twice. Nothing was changed.`;
    return refuseTask(call, { code: "invalid_input", message });
  }
  const answer = await sendTask(call, { op: "add", tasks: drafts });
  if (!answer.ok) {
    const message = answer.refused.message.replace(
      /^tasks\[(\d+)\]\.?/,
      (_, index) => `Line ${lines[Number(index)]}: `,
    );
    return refuseTask(call, { ...answer.refused, message });
  }
  reportDuplicate(terminal, answer);
  const ids = answer.tasks.map(({ id }) => id);
  if (values.json) terminal.printJson({ added: ids.length, ids });
  else
    terminal.print(
      `Added ${counted(ids.length, "task")}: ${ids.length > 5 ? `${ids[0]} to ${ids.at(-1)}` : ids.join(", ")}`,
    );
  return EXIT.success;
}
