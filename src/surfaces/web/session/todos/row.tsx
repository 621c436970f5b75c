import type { CostSum } from "../../../../core/cost/cost.ts";
import type { ChangedFile } from "../../../../core/files/changed-files.ts";
import { taskLinkOf } from "../../../../core/list/task-link.ts";
import { forPage } from "../../../../core/text/escape.ts";
import type { Row } from "../../../../core/views/view.ts";
import { isOpen } from "../../../../core/views/view.ts";
import { taskPath } from "../../../../core/wire.ts";
import { todoMark } from "../../state/todo-labels.ts";
import { Cost } from "../../ui/cost.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Link, Text } from "../../ui/parts.tsx";
import { Duration, Time } from "../../ui/time.tsx";
import { FilesButton } from "../changed-files.tsx";
import { EvidenceFact } from "../evidence-fact.tsx";

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
  const { icon, label } = todoMark(todo);
  if (!canEdit) return <Icon name={icon} label={label} />;
  return (
    <button
      type="button"
      class="mark"
      aria-label={`${isOpen(todo) ? "Mark done" : "Reopen"}: ${forPage(todo.text)}. Status: ${label}.`}
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
  readonly cost: CostSum | undefined;
  /** The files that were changed for it. */
  readonly files: readonly ChangedFile[] | undefined;
  readonly isVerifying: boolean;
  /** Runs the check; absent where none can be run. */
  readonly onVerify: (() => void) | undefined;
  /** Shows the evidence in full. */
  onProof(): void;
}

export function Content(props: ContentProps) {
  const { row, canEdit, onEdit, onNote, onDrop, onPromote, onProof, onVerify, isVerifying } = props;
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
        {todo.notes?.map((note, index) => (
          <p class="note" key={index}>
            <Text>{note}</Text>
          </p>
        ))}
      </div>
      {(canEdit || onVerify) && (
        <span class="tools">
          {canEdit && (
            <>
              <button type="button" onClick={onEdit}>
                Edit
              </button>
              <button type="button" onClick={onNote}>
                Note
              </button>
              {!link && (
                <button type="button" onClick={onPromote}>
                  Promote to task
                </button>
              )}
              <button type="button" onClick={onDrop}>
                {todo.status === "cancelled" ? "Reopen" : "Cancel"}
              </button>
            </>
          )}
          {onVerify && todo.status === "completed" && (
            <button type="button" onClick={onVerify}>
              Verify
            </button>
          )}
        </span>
      )}
      <div class="aside">
        {link && (
          <Link to={taskPath(link.task)} class="chip">
            task {link.task}
          </Link>
        )}
        {isVerifying ? (
          <span class="fact">
            <Icon name="active" /> Verifying…
          </span>
        ) : (
          <Aside row={row} onProof={onProof} />
        )}
        <FilesButton files={props.files} onShow={onProof} />
        <Cost sum={props.cost} />
      </div>
    </>
  );
}

/** Evidence, blockers or elapsed time. */
function Aside({ row, onProof }: Pick<ContentProps, "row" | "onProof">) {
  const { todo, elapsed } = row;
  const { status, finishedAt = 0, movedBy, blocker, blockedBy } = todo;
  if (status === "in_progress")
    return <span class="fact num">{elapsed !== undefined && <Duration ms={elapsed} />}</span>;
  if (status === "blocked") {
    const cause = blocker ?? (blockedBy?.length ? blockedBy.join(", ") : "");
    return (
      <span class="fact">
        blocked{cause !== "" && " by "}
        <Text>{cause}</Text>
      </span>
    );
  }
  if (status === "cancelled")
    return (
      <span class="fact num">
        cancelled{movedBy === "user" && " by you"} <Time at={finishedAt} />
      </span>
    );
  if (status !== "completed") return null;
  return (
    <button type="button" class="evidence" onClick={onProof}>
      <EvidenceFact todo={todo} />
    </button>
  );
}
