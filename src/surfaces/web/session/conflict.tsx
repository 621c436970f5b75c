import type { ComponentChildren } from "preact";
import type { By, Op, Todo } from "../../../core/model.ts";
import type { ConflictAnswer } from "../../../core/wire.ts";
import { markOf } from "../state/shown.ts";
import { Button, Text } from "../ui/parts.tsx";
import { clock } from "../ui/words.ts";

interface ConflictProps {
  readonly answer: ConflictAnswer;
  readonly ops: readonly Op[];
  onMine(): void;
  onTheirs(): void;
}

export function ConflictBox({ answer, ops, onMine, onTheirs }: ConflictProps) {
  const { theirs, by, at } = answer;
  return (
    <Choice
      by={by}
      at={at}
      yours={<Text>{mine(ops, answer.yours)}</Text>}
      theirs={
        <>
          <Text>{theirs.text}</Text> <span class="quiet">{markOf(theirs).says}</span>
        </>
      }
      onMine={onMine}
      onTheirs={onTheirs}
    />
  );
}

interface ChoiceProps {
  readonly by: By;
  /** Who it was, where it is known better than by its kind. */
  readonly name?: string;
  readonly at: number;
  readonly yours: ComponentChildren;
  readonly theirs: ComponentChildren;
  onMine(): void;
  onTheirs(): void;
}

/** Two wanted different things of the same: both stand side by side, a person decides. */
export function Choice({ by, name, at, yours, theirs, onMine, onTheirs }: ChoiceProps) {
  const who = by === "user" ? "you, on another page or in a terminal," : (name ?? "the agent");
  return (
    <div class="conflict" role="alert">
      <p>
        Meanwhile {who} changed this at {clock(at)}.
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
      <div class="acts">
        <Button look="go" onClick={onMine}>
          Keep mine
        </Button>
        <Button onClick={onTheirs}>Take theirs</Button>
      </div>
    </div>
  );
}

const WORDS: Readonly<Record<string, string>> = {
  finish: "done",
  drop: "dropped",
  reopen: "to do",
};

function mine(ops: readonly Op[], base: Partial<Todo>): string {
  for (const op of ops) {
    if (op.op === "edit" && typeof op.set.text === "string") return op.set.text;
    const word = WORDS[op.op];
    if (word !== undefined) return `${base.text ?? ""} (${word})`;
  }
  return base.text ?? "";
}
