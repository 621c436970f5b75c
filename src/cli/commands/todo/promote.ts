import type { Todo, TrackId } from "../../../core/model.ts";
import { oneLine } from "../../../core/safe-text.ts";
import { findTargets } from "../../../core/target.ts";
import { isOpen } from "../../../core/view.ts";
import { ownerOf } from "../../../hosts/session.ts";
import { refOfTodo } from "../../../hosts/task-links.ts";
import type { TaskDraft } from "../../../tasks/model.ts";
import { refuse } from "../../change.ts";
import { type Call, defineCommand, type Options } from "../../command.ts";
import { EXIT, type Exit } from "../../exit.ts";
import { refuseTask, TASK_STORE } from "../../task-change.ts";
import { listToChange, TRACK_OPTIONS } from "../../which-track.ts";
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
  const list = await listToChange(call);
  const track = await list.read();
  const todos: Todo[] = [];
  for (const any of args) {
    const found = findTargets(track.todos, { any }, {});
    if (!found.ok) return refuse(call, [found.rejection], track);
    todos.push(...found.todos);
  }
  const store = await home.tasks("writing", values.store);
  const sender = { by: "user", via: "cli" } as const;
  const fresh = todos.filter(({ task }) => task === undefined);
  const pairs = todos.flatMap((todo) =>
    todo.task === undefined ? [] : [{ todo, task: todo.task.replace(/#.*$/, "") }],
  );
  if (fresh.length > 0) {
    const drafts = fresh.map((todo) => draftOf(todo, list.id, track.todos, fresh, values));
    const added = await store.apply({ op: "add", tasks: drafts }, sender);
    if (!added.ok) return refuseTask(call, added.refused);
    const made = fresh.map((todo, place) => ({ todo, task: added.tasks[place]?.id ?? "" }));
    const linked = await list.submit(
      made.map(({ todo, task }) => ({ op: "edit", target: { any: todo.id }, set: { task } })),
      { by: "system", via: "tasks" },
    );
    if (!linked.ok) return refuse(call, linked.rejected, linked.after);
    pairs.push(...made);
  }
  const owner = ownerOf(list.id);
  for (const { todo, task } of pairs)
    if (todo.status === "in_progress" && (await store.get(task))?.status === "open")
      await store.apply({ op: "claim", id: task, owner }, { ...sender, actor: owner });
  if (values.json)
    terminal.printJson({
      promoted: pairs.map(({ todo, task }) => ({ todo: todo.id, text: todo.text, task })),
    });
  else
    for (const { todo, task } of pairs)
      terminal.printText(`todo ${todo.id} is task ${task}: ${oneLine(todo.text)}`);
  return EXIT.fine;
}

function draftOf(
  todo: Todo,
  id: TrackId,
  all: readonly Todo[],
  promoted: readonly Todo[],
  { priority, label }: Call<typeof options>["values"],
): TaskDraft {
  // Only what is a task can hold up a task.
  const blockedBy = (todo.blockedBy ?? []).flatMap((other) => {
    const blocker = all.find((each) => each.id === other);
    if (blocker && promoted.includes(blocker)) return [refOfTodo(id, blocker.id)];
    return blocker?.task === undefined ? [] : [blocker.task.replace(/#.*$/, "")];
  });
  return {
    subject: todo.text,
    ...(todo.notes && { description: todo.notes.join("\n\n") }),
    ...(todo.activeText !== undefined && { activeText: todo.activeText }),
    ...(priority !== undefined && { priority: readPriority(priority) }),
    ...(label !== undefined && { labels: label }),
    ...(blockedBy.length > 0 && { blockedBy }),
    ref: refOfTodo(id, todo.id),
    ...(isOpen(todo) ? {} : { status: todo.status === "completed" ? "done" : "cancelled" }),
    ...(todo.evidence && { evidence: todo.evidence }),
  };
}
