import { taskLinkOf } from "../../../core/list/task-link.ts";
import type { Row } from "../../../core/views/view.ts";
import { isOpen } from "../../../core/views/view.ts";
import { taskPath } from "../../../core/wire.ts";
import { markOf } from "../state/shown.ts";
import { Icon } from "../ui/icons.tsx";
import { Go, Text } from "../ui/parts.tsx";
import { clock, duration } from "../ui/words.ts";

export function Mark({
  row,
  canEdit,
  onFinish,
}: {
  row: Row;
  canEdit: boolean;
  onFinish: () => void;
}) {
  const { todo } = row;
  const { icon, says } = markOf(todo);
  if (!canEdit) return <Icon name={icon} says={says} />;
  return (
    <button
      type="button"
      class="mark"
      aria-label={`${isOpen(todo) ? "Finish" : "Reopen"}: ${todo.text}. It is ${says}.`}
      onClick={onFinish}
    >
      <Icon name={icon} />
    </button>
  );
}

interface ContentProps {
  readonly row: Row;
  readonly canEdit: boolean;
  onEdit(): void;
  onNote(): void;
  onDrop(): void;
  onPromote(): void;
}

export function Content({ row, canEdit, onEdit, onNote, onDrop, onPromote }: ContentProps) {
  const { todo } = row;
  const link = taskLinkOf(todo);
  return (
    <>
      <div class="body" onDblClick={canEdit ? onEdit : undefined}>
        <Text class="text">{todo.text}</Text>
        {todo.status === "in_progress" && todo.activeText !== undefined && (
          <p class="second">
            <Text>{todo.activeText}</Text>
          </p>
        )}
        {todo.notes?.map((note, place) => (
          <p class="note" key={place}>
            <Text>{note}</Text>
          </p>
        ))}
      </div>
      <div class="aside">
        {canEdit && (
          <span class="tools">
            <button type="button" onClick={onEdit}>
              Edit
            </button>
            <button type="button" onClick={onNote}>
              Note
            </button>
            {!link && (
              <button type="button" onClick={onPromote}>
                Make it a task
              </button>
            )}
            <button type="button" onClick={onDrop}>
              {todo.status === "cancelled" ? "Take back" : "Drop"}
            </button>
          </span>
        )}
        {link && (
          <Go to={taskPath(link.task)} class="chip">
            task {link.task}
          </Go>
        )}
        <Aside row={row} />
      </div>
    </>
  );
}

/** What backs it, what it waits for, how long it takes. */
function Aside({ row }: { readonly row: Row }) {
  const { todo, elapsed } = row;
  const { status, check, evidence, finishedAt = 0, movedBy, blocker, blockedBy } = todo;
  if (status === "in_progress")
    return <span class="fact num">{elapsed === undefined ? "" : duration(elapsed)}</span>;
  if (status === "blocked") {
    const cause = blocker ?? (blockedBy?.length ? blockedBy.join(", ") : "");
    return (
      <span class="fact">
        waits{cause !== "" && " for "}
        <Text>{cause}</Text>
      </span>
    );
  }
  if (status === "cancelled")
    return (
      <span class="fact num">
        dropped{movedBy === "user" && " by you"} {clock(finishedAt)}
      </span>
    );
  if (status !== "completed") return null;
  if (check)
    return (
      <span class="fact proof num">
        <Text class="mono">{check.command}</Text> passed {clock(check.at)}
      </span>
    );
  if (evidence?.length)
    return (
      <span class="fact">
        given: <Text>{evidence.at(-1) ?? ""}</Text>
      </span>
    );
  return <span class="fact num">claimed {clock(finishedAt)}</span>;
}
