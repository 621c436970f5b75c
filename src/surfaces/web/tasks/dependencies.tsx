import { taskPath } from "../../../core/wire.ts";
import type { Task } from "../../../tasks/model.ts";
import type { TaskDetailAnswer } from "../../../tasks/wire.ts";
import { useApp } from "../state/app-context.ts";
import { Icon } from "../ui/icons.tsx";
import { Button, Link, Text } from "../ui/parts.tsx";
import { sendAndNotify } from "./actions.ts";
import { taskMark } from "./labels.ts";

interface DependenciesProps {
  readonly task: Task;
  readonly detail: TaskDetailAnswer;
  readonly tasks: ReadonlyMap<string, Task>;
  readonly waitsFor: readonly string[];
  onAdd(): void;
}

/** The blockers, blocked tasks, parent and subtasks of a task. */
export function Dependencies({ task, detail, tasks, waitsFor, onAdd }: DependenciesProps) {
  const app = useApp();
  const removeBlocker = (id: string) =>
    void sendAndNotify(
      app,
      { op: "edit", id: task.id, set: { removeBlockedBy: [id] } },
      () => void sendAndNotify(app, { op: "edit", id: task.id, set: { addBlockedBy: [id] } }),
    );
  const doneBlockers = task.blockedBy.filter((id) => !waitsFor.includes(id));
  const groups: readonly (readonly [string, readonly string[]])[] = [
    ["Blocked by", waitsFor],
    ["Was blocked by", doneBlockers],
    ["Blocks", detail.blocks],
    ["Parent", task.parent === undefined ? [] : [task.parent]],
    ["Subtasks", detail.children],
  ];
  const shown = groups.filter(([, ids]) => ids.length > 0);
  return (
    <section class="card dependencies" aria-labelledby="dependencies-title">
      <header>
        <h2 id="dependencies-title">Dependencies</h2>
        <Button look="ghost" shortcut="b" onClick={onAdd}>
          Add blocker
        </Button>
      </header>
      {shown.length === 0 && <p class="empty">No dependencies.</p>}
      {shown.map(([name, ids]) => (
        <div key={name}>
          <h3>{name}</h3>
          <ul>
            {ids.map((id) => {
              const other = tasks.get(id);
              const mark = other && taskMark(other, false);
              return (
                <li key={id}>
                  <Icon name={mark?.icon ?? "done"} label={mark?.label ?? "done"} />
                  <Link to={taskPath(id)}>
                    <code>{id}</code> <Text>{other?.subject ?? ""}</Text>
                  </Link>
                  {name === "Blocked by" && (
                    <Button
                      look="ghost"
                      label={`Remove blocker ${id}`}
                      onClick={() => removeBlocker(id)}
                    >
                      Remove
                    </Button>
                  )}
                </li>
              );
            })}
          </ul>
        </div>
      ))}
    </section>
  );
}
