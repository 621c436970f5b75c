import { promotedText, promoteTodos } from "../../../tasks/links/promote.ts";
import { type Call, defineCommand, type Options } from "../../args/command.ts";
import { EXIT, type Exit } from "../../io/exit.ts";
import { refuse } from "../../options/list-change.ts";
import { refuseTask, TASK_STORE_OPTION } from "../../options/task-change.ts";
import { listToChange, TRACK_OPTIONS } from "../../options/track-selection.ts";
import { parsePriority } from "../task/add.ts";
import { TODO } from "./status.ts";

const options = {
  priority: { type: "string", value: "N", summary: "Priority, 0 (most urgent) to 4", default: "2" },
  label: { type: "string", value: "LABEL", summary: "Label; repeat for several", repeatable: true },
  ...TRACK_OPTIONS,
  json: { type: "boolean", summary: "Print the todos and their tasks as JSON", perCall: true },
  ...TASK_STORE_OPTION,
} as const satisfies Options;

export const promote = defineCommand({
  arguments: [{ ...TODO, repeatable: true }],
  options,
  notes: [
    "The todo stays in the list and is linked to the task: completing one completes the other. A todo in progress is claimed for the agent of the list; others are ready to be claimed. A todo that is already linked keeps its task.",
  ],
  examples: [
    { command: "waymark todo promote 2", comment: "Promote a todo by its id" },
    {
      command: 'waymark todo promote "Write the tests" --priority 1 --session demo',
      comment: "Promote it as an urgent task",
    },
  ],
  seeAlso: ["task list", "task claim"],
  run,
});

async function run(call: Call<typeof options>): Promise<Exit> {
  const { args, values, terminal, home } = call;
  const { priority, label } = values;
  const list = await listToChange(call);
  const store = await home.tasks("writing", values.store);
  const answer = await promoteTodos(list, store, args, {
    via: "cli",
    ...(priority !== undefined && { priority: parsePriority(priority) }),
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
  else for (const each of answer.promoted) terminal.printText(promotedText(each));
  return EXIT.success;
}
