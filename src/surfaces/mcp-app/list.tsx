import { useEffect, useRef, useState } from "preact/hooks";
import { evidenceStateOf } from "../../core/checks/evidence-state.ts";
import type { Todo } from "../../core/model.ts";
import { forPage } from "../../core/text/escape.ts";
import { isOpen } from "../../core/views/view.ts";
import { EvidenceFact } from "../web/session/evidence-fact.tsx";
import { todoMark } from "../web/state/todo-labels.ts";
import { Icon } from "../web/ui/icons.tsx";
import { Text } from "../web/ui/parts.tsx";
import { ShortDuration } from "../web/ui/time.tsx";
import { type Edit, move, tick } from "./edits.ts";

/** More rows than this are not drawn. */
const MAX_ROWS = 200;
/** In narrow frames, closed todos at the start are folded, except the last ones. */
const KEPT = 2;
const LEAST_FOLDED = 2;

interface ListProps {
  readonly todos: readonly Todo[];
  readonly canEdit: boolean;
  readonly send: (edit: Edit) => void;
}

/** The todos; the user ticks, reopens and moves them. */
export function Todos({ todos, canEdit, send }: ListProps) {
  const [isUnfolded, unfold] = useState(false);
  const [over, setOver] = useState<string | undefined>();
  const list = useRef<HTMLUListElement>(null);
  const moved = useRef<string | undefined>(undefined);
  useEffect(() => {
    // A row that moved in the document has lost the focus.
    const { current: id } = moved;
    if (id === undefined) return;
    moved.current = undefined;
    gripOf(list.current, id)?.focus();
  });
  if (todos.length === 0)
    return (
      <p class="empty">
        No todos yet.{" "}
        {canEdit ? "Add one, or ask the agent for a plan." : "Ask the agent for a plan."}
      </p>
    );
  const firstOpen = todos.findIndex(isOpen);
  const closed = (firstOpen === -1 ? todos.length : firstOpen) - KEPT;
  const early = closed >= LEAST_FOLDED ? closed : 0;
  const moveTo = (todo: Todo, to: number, hasFocus: boolean): void => {
    const edit = move(todos, todo, to);
    if (!edit) return;
    if (hasFocus) moved.current = todo.id;
    send(edit);
  };
  return (
    <div>
      {early > 0 && (
        <button
          type="button"
          class="fold narrow"
          aria-expanded={isUnfolded}
          onClick={() => unfold(!isUnfolded)}
        >
          {`${early} earlier ${early === 1 ? "todo" : "todos"} done`}
        </button>
      )}
      <ul class={`rows${isUnfolded ? " unfolded" : ""}`} ref={list}>
        {todos.slice(0, MAX_ROWS).map((todo, index) => (
          <li
            key={todo.id}
            data-todo={todo.id}
            class={`is-${todo.status}${index < early ? " early" : ""}${over === todo.id ? " over" : ""}`}
          >
            <Tick todo={todo} canEdit={canEdit} onTick={() => send(tick(todo))} />
            <Text class="text">{todo.text}</Text>
            <Fact todo={todo} />
            {canEdit && todos.length > 1 && (
              <Grip
                todo={todo}
                onStep={(by) => moveTo(todo, index + by, true)}
                onOver={(y) => setOver(rowAt(list.current, y)?.id)}
                onDrop={(y) => {
                  setOver(undefined);
                  const row = y === undefined ? undefined : rowAt(list.current, y);
                  if (row)
                    moveTo(
                      todo,
                      todos.findIndex(({ id }) => id === row.id),
                      true,
                    );
                }}
              />
            )}
          </li>
        ))}
      </ul>
      {todos.length > MAX_ROWS && (
        <p class="foot">{`${todos.length - MAX_ROWS} more todos are on the board: waymark todos`}</p>
      )}
    </div>
  );
}

function gripOf(list: Element | null, id: string): HTMLElement | null | undefined {
  return list?.querySelector<HTMLElement>(`[data-todo="${CSS.escape(id)}"] .grip`);
}

/** The row at a height of the window. */
function rowAt(list: Element | null, y: number): { readonly id: string } | undefined {
  for (const row of list?.children ?? []) {
    const { top, bottom } = row.getBoundingClientRect();
    if (y >= top && y < bottom && row instanceof HTMLElement && row.dataset.todo !== undefined)
      return { id: row.dataset.todo };
  }
  return undefined;
}

interface TickProps {
  readonly todo: Todo;
  readonly canEdit: boolean;
  readonly onTick: () => void;
}

function Tick({ todo, canEdit, onTick }: TickProps) {
  const { icon, label } = todoMark(todo);
  if (!canEdit)
    return (
      <span class="tick">
        <Icon name={icon} label={label} />
      </span>
    );
  return (
    <button
      type="button"
      class="tick"
      aria-label={`${isOpen(todo) ? "Mark done" : "Reopen"}: ${forPage(todo.text)}. Status: ${label}.`}
      onClick={onTick}
    >
      <Icon name={icon} />
    </button>
  );
}

/** The evidence of a closed todo, the time of the current one, or what blocks it. */
function Fact({ todo }: { readonly todo: Todo }) {
  const { status, startedAt, movedBy, blocker, addedBy } = todo;
  switch (status) {
    case "completed":
      if (movedBy === "user" && evidenceStateOf(todo) === "unverified")
        return <span class="fact">by you</span>;
      return <EvidenceFact todo={todo} isShort />;
    case "in_progress":
      if (startedAt === undefined) return <span class="fact" />;
      return (
        <span class="fact num">
          <ShortDuration ms={Math.max(0, Date.now() - startedAt)} />
        </span>
      );
    case "blocked":
      return (
        <span class="fact">
          blocked{blocker !== undefined && ": "}
          <Text>{blocker ?? ""}</Text>
        </span>
      );
    case "cancelled":
      return <span class="fact">cancelled</span>;
    case "pending":
      return <span class="fact">{addedBy === "user" && "added by you"}</span>;
  }
}

interface GripProps {
  readonly todo: Todo;
  readonly onStep: (by: number) => void;
  readonly onOver: (y: number) => void;
  /** Without a height, the drag was cancelled. */
  readonly onDrop: (y: number | undefined) => void;
}

const STEPS: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1 };

/** Moves a todo, with the pointer or with arrow keys. */
function Grip({ todo, onStep, onOver, onDrop }: GripProps) {
  const isDragging = useRef(false);
  const end = (y: number | undefined): void => {
    if (!isDragging.current) return;
    isDragging.current = false;
    onDrop(y);
  };
  return (
    <button
      type="button"
      class="grip"
      aria-label={`Move: ${forPage(todo.text)}`}
      aria-description="Use the up and down arrow keys"
      onKeyDown={(event) => {
        const by = STEPS[event.key];
        if (by === undefined) return;
        event.preventDefault();
        onStep(by);
      }}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        isDragging.current = true;
      }}
      onPointerMove={(event) => isDragging.current && onOver(event.clientY)}
      onPointerUp={(event) => end(event.clientY)}
      onPointerCancel={() => end(undefined)}
    >
      <Icon name="grip" />
    </button>
  );
}

interface AddProps {
  /** E.g. `Add a todo`. */
  readonly label: string;
  /** `onDone` empties the field. */
  readonly onAdd: (text: string, onDone: () => void) => void;
}

/** Not a form: hosts may not allow frames to submit any. */
export function AddField({ label, onAdd }: AddProps) {
  const [text, setText] = useState("");
  const save = (): void => {
    if (text.trim() === "") return;
    onAdd(text.trim(), () => setText(""));
  };
  return (
    <div class="add">
      <Icon name="plus" />
      <input
        aria-label={label}
        placeholder={label}
        dir="auto"
        maxLength={500}
        enterKeyHint="done"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.isComposing) save();
        }}
      />
      {text !== "" && (
        <button type="button" class="button" onClick={save}>
          Add
        </button>
      )}
    </div>
  );
}
