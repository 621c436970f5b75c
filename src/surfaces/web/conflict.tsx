import type { Op, Todo } from "../../core/model.ts";
import type { ConflictAnswer } from "../../core/wire.ts";
import { Button, Text } from "./parts.tsx";
import { markOf } from "./shown.ts";
import { clock } from "./words.ts";

interface ConflictProps {
  readonly answer: ConflictAnswer;
  readonly ops: readonly Op[];
  onMine(): void;
  onTheirs(): void;
}

/** Two wanted different things of the same todo: both stand side by side, a person decides. */
export function ConflictBox({ answer, ops, onMine, onTheirs }: ConflictProps) {
  const { theirs, by, at } = answer;
  const who = by === "user" ? "you, on another page or in a terminal," : "the agent";
  return (
    <div class="conflict" role="alert">
      <p>
        Meanwhile {who} changed this at {clock(at)}.
      </p>
      <dl>
        <div>
          <dt>Yours</dt>
          <dd>
            <Text>{mine(ops, answer.yours)}</Text>
          </dd>
        </div>
        <div>
          <dt>Theirs</dt>
          <dd>
            <Text>{theirs.text}</Text> <span class="quiet">{markOf(theirs).says}</span>
          </dd>
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
