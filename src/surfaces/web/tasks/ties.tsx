import { taskPath } from "../../../core/wire.ts";
import type { Task } from "../../../tasks/model.ts";
import type { TaskDetailAnswer } from "../../../tasks/wire.ts";
import { useApp } from "../state/app-context.ts";
import { Icon } from "../ui/icons.tsx";
import { Button, Go, Text } from "../ui/parts.tsx";
import { actOn } from "./acts.ts";
import { taskMark } from "./words.ts";

interface TiesProps {
  readonly task: Task;
  readonly detail: TaskDetailAnswer;
  readonly tasks: ReadonlyMap<string, Task>;
  readonly waitsFor: readonly string[];
  onAdd(): void;
}

/** What a task waits for, what waits for it, and what it is a part of. */
export function Ties({ task, detail, tasks, waitsFor, onAdd }: TiesProps) {
  const app = useApp();
  const free = (id: string) =>
    void actOn(
      app,
      { op: "edit", id: task.id, set: { removeBlockedBy: [id] } },
      () => void actOn(app, { op: "edit", id: task.id, set: { addBlockedBy: [id] } }),
    );
  const waited = task.blockedBy.filter((id) => !waitsFor.includes(id));
  const groups: readonly (readonly [string, readonly string[]])[] = [
    ["Waits for", waitsFor],
    ["Waited for", waited],
    ["Holds back", detail.blocks],
    ["Part of", task.parent === undefined ? [] : [task.parent]],
    ["Parts", detail.children],
  ];
  const shown = groups.filter(([, ids]) => ids.length > 0);
  return (
    <section class="card ties" aria-labelledby="ties-title">
      <header>
        <h2 id="ties-title">Ties</h2>
        <Button look="ghost" shortcut="b" onClick={onAdd}>
          Let it wait for another
        </Button>
      </header>
      {shown.length === 0 && <p class="empty">It waits for nothing, and nothing waits for it.</p>}
      {shown.map(([name, ids]) => (
        <div key={name}>
          <h3>{name}</h3>
          <ul>
            {ids.map((id) => {
              const other = tasks.get(id);
              const mark = other && taskMark(other, false);
              return (
                <li key={id}>
                  <Icon name={mark?.icon ?? "claimed"} says={mark?.says ?? "done"} />
                  <Go to={taskPath(id)}>
                    <code>{id}</code> <Text>{other?.subject ?? ""}</Text>
                  </Go>
                  {name === "Waits for" && (
                    <Button
                      look="ghost"
                      says={`Free: no longer wait for ${id}`}
                      onClick={() => free(id)}
                    >
                      Free
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
