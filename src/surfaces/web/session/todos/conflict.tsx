import type { ComponentChildren } from "preact";
import type { Author, Op, Todo } from "../../../../core/model.ts";
import type { ConflictResponse } from "../../../../core/wire.ts";
import { todoMark } from "../../state/todo-labels.ts";
import { Button, Text } from "../../ui/parts.tsx";
import { Time } from "../../ui/time.tsx";

interface ConflictProps {
  readonly answer: ConflictResponse;
  readonly ops: readonly Op[];
  onMine(): void;
  onTheirs(): void;
}

export function ConflictBox({ answer, ops, onMine, onTheirs }: ConflictProps) {
  const { theirs, by, at } = answer;
  return (
    <ConflictChoice
      by={by}
      at={at}
      yours={<Text>{mine(ops, answer.yours)}</Text>}
      theirs={
        <>
          <Text>{theirs.text}</Text> <span class="quiet">{todoMark(theirs).label}</span>
        </>
      }
      onMine={onMine}
      onTheirs={onTheirs}
    />
  );
}

interface ChoiceProps {
  readonly by: Author;
  /** The author's name, if known. */
  readonly name?: string;
  readonly at: number;
  readonly yours: ComponentChildren;
  readonly theirs: ComponentChildren;
  onMine(): void;
  onTheirs(): void;
}

/** Shows two concurrent edits side by side and lets the user choose. */
export function ConflictChoice({ by, name, at, yours, theirs, onMine, onTheirs }: ChoiceProps) {
  const who = by === "user" ? "You" : (name ?? "The agent");
  const where = by === "user" ? " in another tab or a terminal" : "";
  return (
    <div class="conflict" role="alert">
      <p>
        {who} changed this{where} at <Time at={at} />.
      </p>
      <dl>
        <div>
          <dt>Yours</dt>
          <dd>{yours}</dd>
        </div>
        <div>
          <dt>Theirs</dt>
          <dd>{theirs}</dd>
        </div>
      </dl>
      <div class="actions">
        <Button look="primary" onClick={onMine}>
          Keep mine
        </Button>
        <Button onClick={onTheirs}>Use theirs</Button>
      </div>
    </div>
  );
}

const LABELS: Readonly<Record<string, string>> = {
  finish: "done",
  drop: "cancelled",
  reopen: "pending",
};

function mine(ops: readonly Op[], base: Partial<Todo>): string {
  for (const op of ops) {
    if (op.op === "edit" && typeof op.set.text === "string") return op.set.text;
    const label = LABELS[op.op];
    if (label !== undefined) return `${base.text ?? ""} (${label})`;
  }
  return base.text ?? "";
}
