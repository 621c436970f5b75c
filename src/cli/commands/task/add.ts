import { NoAnswer, UsageError } from "../../../core/error.ts";
import { counted } from "../../../core/text/count.ts";
import { oneLine } from "../../../core/text/escape.ts";
import { readTaskLines } from "../../../tasks/formats/jsonl.ts";
import { PRIORITIES, type Priority, type TaskDraft } from "../../../tasks/model.ts";
import { wholeNumber } from "../../args/arguments.ts";
import { type Call, defineCommand } from "../../args/command.ts";
import { EXIT, type Exit } from "../../io/exit.ts";
import { readStdin } from "../../io/input.ts";
import {
  AS,
  changeTask,
  refuseTask,
  sayDuplicate,
  sendTask,
  TASK_CHANGE,
} from "../../options/task-change.ts";

const MAX_INPUT = 256 * 1024 * 1024;

const options = {
  description: { type: "string", value: "TEXT", summary: "All that whoever does it has to know" },
  priority: {
    type: "string",
    value: "0-4",
    summary: "0 is the most urgent; 2 unless told",
    words: PRIORITIES.map(String),
  },
  label: { type: "string", value: "LABEL", summary: "A word to find it by", many: true },
  "blocked-by": {
    type: "string",
    value: "TASK",
    summary: "It cannot be claimed before this one is done",
    words: "tasks",
    many: true,
  },
  parent: {
    type: "string",
    value: "TASK",
    summary: "The task that it is a part of",
    words: "tasks",
  },
  "max-attempts": { type: "string", value: "N", summary: "How often it is tried; 3 unless told" },
  ...AS,
  ...TASK_CHANGE,
} as const;

export const add = defineCommand({
  usage: ["SUBJECT [OPTIONS]", "- [--as OWNER] [--key KEY] [--json]"],
  arguments: [
    {
      name: "SUBJECT",
      summary: 'what is to be done; "-" reads JSONL from the standard input, one task a line',
    },
  ],
  options,
  notes: [
    "A line of JSONL is an object with subject and, if you like, description, priority, labels, blockedBy, parent, maxAttempts, metadata and id: what other lines call it in blockedBy and parent. All lines are added, or none.",
  ],
  examples: [
    { command: 'waymark task add "Write the parser" --priority 1 --label core', says: "One task" },
    {
      command: 'waymark task add "Publish" --blocked-by t1 --blocked-by t2 --json',
      says: "It waits for two others",
    },
    {
      command: `printf '{"subject":"Build","id":"b"}\\n{"subject":"Go","blockedBy":["b"]}\\n' |\n  waymark task add -`,
      says: "Many in one step",
    },
  ],
  async run(call) {
    const [subject = ""] = call.args;
    if (subject === "-") return addLines(call);
    const { values } = call;
    const draft = draftOf(subject, values);
    return changeTask(call, { op: "add", tasks: [draft] }, ({ id, subject: text }) => {
      const waits = draft.blockedBy?.length ? `, waits for ${draft.blockedBy.join(", ")}` : "";
      return `added ${id}: ${oneLine(text)}${waits}`;
    });
  },
});

export function readPriority(given: string): Priority {
  const number = wholeNumber("--priority", given, 0);
  const priority = PRIORITIES.find((each) => each === number);
  if (priority === undefined)
    throw new UsageError(`--priority is "${given}"; give 0 (the most urgent) to 4.`);
  return priority;
}

function draftOf(subject: string, values: Call<typeof options>["values"]): TaskDraft {
  const { description, priority, label, parent } = values;
  const blockedBy = values["blocked-by"];
  const attempts = values["max-attempts"];
  return {
    subject,
    ...(description !== undefined && { description }),
    ...(priority !== undefined && { priority: readPriority(priority) }),
    ...(label !== undefined && { labels: label }),
    ...(blockedBy !== undefined && { blockedBy }),
    ...(parent !== undefined && { parent }),
    ...(attempts !== undefined && { maxAttempts: wholeNumber("--max-attempts", attempts, 1) }),
  };
}

/** The place of the first whose name another one has already. */
function usedTwice(drafts: readonly TaskDraft[]): number | undefined {
  const names = new Set<string>();
  for (const [place, { name }] of drafts.entries()) {
    if (name === undefined) continue;
    if (names.has(oneLine(name))) return place;
    names.add(oneLine(name));
  }
  return undefined;
}

async function addLines(call: Call<typeof options>): Promise<Exit> {
  const { terminal, values } = call;
  const extra = Object.keys(values).find((name) => !["as", "key", "json", "store"].includes(name));
  if (extra !== undefined) throw new UsageError(`--${extra} goes with a SUBJECT, not with "-".`);
  const input = readStdin(MAX_INPUT);
  if (!input.ok)
    throw new NoAnswer(
      input.problem === "too_large"
        ? `The standard input has more than ${MAX_INPUT} bytes. Nothing was changed.`
        : "The standard input is not UTF-8 text. Nothing was changed.",
    );
  const { drafts, lines, problems } = readTaskLines(input.text);
  const [problem] = problems;
  if (problem) {
    const more =
      problems.length > 1
        ? ` ${counted(problems.length - 1, "more line is", "more lines are")} wrong.`
        : "";
    const message = `Line ${problem.line} ${problem.what}${more} Nothing was changed.`;
    return refuseTask(call, { code: "invalid_input", message });
  }
  if (drafts.length === 0)
    throw new NoAnswer('The standard input has no tasks. A line is {"subject":"..."}.');
  const twice = usedTwice(drafts);
  if (twice !== undefined) {
    const message = `Line ${lines[twice]}: id ${drafts[twice]?.name} is used twice. Nothing was changed.`;
    return refuseTask(call, { code: "invalid_input", message });
  }
  const answer = await sendTask(call, { op: "add", tasks: drafts });
  if (!answer.ok) {
    const message = answer.refused.message.replace(
      /^tasks\[(\d+)\]\.?/,
      (_, place) => `Line ${lines[Number(place)]}: `,
    );
    return refuseTask(call, { ...answer.refused, message });
  }
  sayDuplicate(terminal, answer);
  const ids = answer.tasks.map(({ id }) => id);
  if (values.json) terminal.printJson({ added: ids.length, ids });
  else
    terminal.print(
      `added ${ids.length}: ${ids.length > 5 ? `${ids[0]} to ${ids.at(-1)}` : ids.join(", ")}`,
    );
  return EXIT.fine;
}
