import { promotedWords, promoteTodos } from "../../../tasks/links/promote.ts";
import { type Call, defineCommand, type Options } from "../../args/command.ts";
import { EXIT, type Exit } from "../../io/exit.ts";
import { refuse } from "../../options/change.ts";
import { refuseTask, TASK_STORE } from "../../options/task-change.ts";
import { listToChange, TRACK_OPTIONS } from "../../options/which-track.ts";
import { readPriority } from "../task/add.ts";
import { TODO } from "./status.ts";

const options = {
  priority: { type: "string", value: "N", summary: "From 0 (the most urgent) to 4; else 2" },
  label: { type: "string", value: "LABEL", summary: "A label of the task", many: true },
  ...TRACK_OPTIONS,
  json: { type: "boolean", summary: "Print JSON: which todo is which task" },
  ...TASK_STORE,
} as const satisfies Options;

export const promote = defineCommand({
  arguments: [{ ...TODO, many: true }],
  options,
  notes: [
    "The todo stays in the list and stands for the task: whichever is finished finishes the other. One that is in progress is claimed for the agent of the list; the others can be claimed by anybody. A todo that is a task already stays that task.",
  ],
  examples: [
    { command: "waymark todo promote 2", says: "By its id" },
    {
      command: 'waymark todo promote "Write the tests" --priority 1 --session demo',
      says: "By its text, as an urgent task",
    },
  ],
  run,
});

async function run(call: Call<typeof options>): Promise<Exit> {
  const { args, values, terminal, home } = call;
  const { priority, label } = values;
  const list = await listToChange(call);
  const store = await home.tasks("writing", values.store);
  const answer = await promoteTodos(list, store, args, {
    via: "cli",
    ...(priority !== undefined && { priority: readPriority(priority) }),
    ...(label !== undefined && { labels: label }),
  });
  if (!answer.ok)
    return "refused" in answer
      ? refuseTask(call, answer.refused)
      : refuse(call, answer.rejected, answer.after);
  if (values.json)
    terminal.printJson({
      promoted: answer.promoted.map(({ todo, task }) => ({ todo: todo.id, text: todo.text, task })),
    });
  else for (const each of answer.promoted) terminal.printText(promotedWords(each));
  return EXIT.fine;
}
