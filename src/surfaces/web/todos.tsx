import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import type { JoinedTrack } from "../../core/joined.ts";
import type { Op, Todo } from "../../core/model.ts";
import { isOpen, type Row, type View } from "../../core/view.ts";
import type { ConflictAnswer } from "../../core/wire.ts";
import { Refused, sendOps } from "./api.ts";
import { useApp } from "./app-context.ts";
import { ConflictBox } from "./conflict.tsx";
import { useKeys } from "./hooks.ts";
import { Icon } from "./icons.tsx";
import { Button, Text } from "./parts.tsx";
import { markOf } from "./shown.ts";
import { clock, duration } from "./words.ts";

interface TodoCardProps {
  readonly joined: JoinedTrack;
  readonly view: View;
  /** What is shown is how it was: nothing of it can be changed. */
  readonly isPast: boolean;
  readonly strip: ComponentChildren;
}

interface Edit {
  readonly id: string;
  readonly field: "text" | "note";
  /** As it was when the person began. */
  readonly base: Todo;
  readonly conflict?: { readonly answer: ConflictAnswer; readonly ops: readonly Op[] };
}

const target = (id: string) => ({ target: { any: id } });

/** The list, and all that a person can do to it. */
export function TodoCard({ joined, view, isPast, strip }: TodoCardProps) {
  const app = useApp();
  const { track, hosted } = joined;
  const canEdit = hosted && !isPast;
  const [chosen, setChosen] = useState<string | undefined>();
  const [edit, setEdit] = useState<Edit | undefined>();
  const [isAdding, setAdding] = useState(false);
  const [dragged, setDragged] = useState<string | undefined>();
  const [over, setOver] = useState<string | undefined>();
  const card = useRef<HTMLElement>(null);
  const rows = view.groups.flatMap((group) => group.rows);
  const selected = rows.find(({ todo }) => todo.id === chosen)?.todo;

  const send = async (ops: readonly Op[], base?: Todo): Promise<Refused | undefined> => {
    try {
      await sendOps(track, ops, base && { [base.id]: base });
      return undefined;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (!error.conflict) app.tell({ text: error.message, isProblem: true });
      return error;
    }
  };
  /** What changed under the person's hands is shown to them, and nothing is lost. */
  const act = async (todo: Todo, op: Op): Promise<boolean> => {
    const refused = await send([op], todo);
    if (refused?.conflict)
      setEdit({
        id: todo.id,
        field: "text",
        base: todo,
        conflict: { answer: refused.conflict, ops: [op] },
      });
    return refused === undefined;
  };
  const finish = (todo: Todo) =>
    void act(todo, { op: isOpen(todo) ? "finish" : "reopen", ...target(todo.id) });
  const drop = async (todo: Todo): Promise<void> => {
    const op = todo.status === "cancelled" ? "reopen" : "drop";
    if (!(await act(todo, { op, ...target(todo.id) })) || op === "reopen") return;
    app.tell({
      text: `Dropped “${todo.text.slice(0, 60)}”.`,
      undo: () => void send([{ op: "reopen", ...target(todo.id) }]),
    });
  };
  const place = (todo: Todo, to: number): void => {
    if (to < 0 || to >= track.todos.length) return;
    // Where it is put, it belongs: to the phase of what stands there.
    const phase = track.todos[to]?.phase ?? null;
    const moved: Op[] = [{ op: "move", ...target(todo.id), to }];
    if (phase !== (todo.phase ?? null))
      moved.push({ op: "edit", ...target(todo.id), set: { phase } });
    void send(moved);
  };
  const save = async (text: string, note: string): Promise<void> => {
    if (!edit) return;
    const { base } = edit;
    const ops: Op[] = [];
    if (text.trim() !== "" && text !== base.text)
      ops.push({ op: "edit", ...target(edit.id), set: { text } });
    if (note.trim() !== "") ops.push({ op: "note", ...target(edit.id), text: note });
    if (ops.length === 0) {
      close();
      return;
    }
    const refused = await send(ops, base);
    if (refused?.conflict) setEdit({ ...edit, conflict: { answer: refused.conflict, ops } });
    else if (!refused) close();
  };
  const close = (): void => {
    const id = edit?.id;
    setEdit(undefined);
    if (id !== undefined) focus(id);
  };
  const focus = (id: string): void => {
    setChosen(id);
    requestAnimationFrame(() => {
      const found = card.current?.querySelector<HTMLElement>(`[data-todo="${CSS.escape(id)}"]`);
      found?.focus();
      found?.scrollIntoView({ block: "nearest" });
    });
  };
  const move = (by: number): void => {
    const at = rows.findIndex(({ todo }) => todo.id === chosen);
    const next = rows[at === -1 ? (by > 0 ? 0 : rows.length - 1) : at + by];
    if (next) focus(next.todo.id);
  };
  const begin = (todo: Todo, field: Edit["field"]): void => {
    setChosen(todo.id);
    setEdit({ id: todo.id, field, base: todo });
  };
  const shift = (by: number): void => {
    if (selected) place(selected, track.todos.findIndex(({ id }) => id === selected.id) + by);
  };

  const acting = canEdit && edit === undefined && !isAdding;
  useKeys({
    j: () => move(1),
    ArrowDown: () => move(1),
    k: () => move(-1),
    ArrowUp: () => move(-1),
    g: () => rows[0] && focus(rows[0].todo.id),
    G: () => {
      const last = rows.at(-1);
      if (last) focus(last.todo.id);
    },
    ...(acting && {
      n: () => setAdding(true),
      ...(selected && {
        e: () => begin(selected, "text"),
        Enter: () => begin(selected, "text"),
        m: () => begin(selected, "note"),
        " ": () => finish(selected),
        x: () => void drop(selected),
        "alt+ArrowUp": () => shift(-1),
        "alt+ArrowDown": () => shift(1),
      }),
    }),
    ...((edit || isAdding) && {
      Escape: () => {
        setAdding(false);
        close();
      },
    }),
  });

  return (
    <section class={`card list${isPast ? " past" : ""}`} aria-labelledby="list-title" ref={card}>
      <header>
        <h2 id="list-title">List</h2>
        <span class="legend">
          <span>
            <Icon name="verified" /> verified
          </span>
          <span>
            <Icon name="claimed" /> claimed
          </span>
        </span>
        {canEdit && (
          <Button shortcut="n" onClick={() => setAdding(true)}>
            Add a todo
          </Button>
        )}
      </header>
      {strip}
      {rows.length === 0 && (
        <p class="empty">
          {hosted ? "No todos yet. Add the first one: the agent is told of it." : "No list yet."}
        </p>
      )}
      {view.groups.map((group) => (
        <div key={group.phase ?? ""}>
          {group.phase !== undefined && (
            <h3 class="phase">
              <Text>{group.phase}</Text>{" "}
              <span class="num quiet">
                {group.completed} of {group.total}
              </span>
            </h3>
          )}
          <ul>
            {group.rows.map((row) => {
              const { todo } = row;
              const isEdited = edit?.id === todo.id;
              return (
                <li
                  key={todo.id}
                  data-todo={todo.id}
                  class={`todo is-${todo.status}${over === todo.id ? " over" : ""}`}
                  tabIndex={todo.id === (chosen ?? rows[0]?.todo.id) ? 0 : -1}
                  onFocus={() => setChosen(todo.id)}
                  draggable={acting}
                  onDragStart={(event) => {
                    setDragged(todo.id);
                    event.dataTransfer?.setData("text/plain", todo.text);
                  }}
                  onDragOver={(event) => {
                    if (dragged === undefined) return;
                    event.preventDefault();
                    setOver(todo.id);
                  }}
                  onDragEnd={() => {
                    setDragged(undefined);
                    setOver(undefined);
                  }}
                  onDrop={(event) => {
                    event.preventDefault();
                    const from = track.todos.find(({ id }) => id === dragged);
                    setOver(undefined);
                    if (from)
                      place(
                        from,
                        track.todos.findIndex(({ id }) => id === todo.id),
                      );
                  }}
                >
                  {acting && (
                    <span class="grip">
                      <Icon name="grip" />
                    </span>
                  )}
                  <Mark row={row} canEdit={canEdit} onFinish={() => finish(todo)} />
                  {isEdited && edit.conflict ? (
                    <ConflictBox
                      {...edit.conflict}
                      onMine={async () => {
                        const { answer, ops } = edit.conflict ?? {};
                        if (ops && !(await send(ops, answer?.theirs))) close();
                      }}
                      onTheirs={close}
                    />
                  ) : isEdited ? (
                    <EditForm todo={edit.base} field={edit.field} onSave={save} onCancel={close} />
                  ) : (
                    <Content
                      row={row}
                      canEdit={acting}
                      onEdit={() => begin(todo, "text")}
                      onNote={() => begin(todo, "note")}
                      onDrop={() => void drop(todo)}
                    />
                  )}
                </li>
              );
            })}
          </ul>
        </div>
      ))}
      {isAdding && (
        <AddForm
          onAdd={async (text) => {
            const phase = selected?.phase ?? view.groups.at(-1)?.phase;
            const draft = { text, ...(phase !== undefined && { phase }) };
            if (!(await send([{ op: "add", todos: [draft] }]))) setAdding(false);
          }}
          onCancel={() => setAdding(false)}
        />
      )}
      {!hosted && rows.length > 0 && (
        <p class="foot-note">
          This list is the agent's own: it is shown here, and changed by the agent.
        </p>
      )}
    </section>
  );
}

function Mark({ row, canEdit, onFinish }: { row: Row; canEdit: boolean; onFinish: () => void }) {
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
}

function Content({ row, canEdit, onEdit, onNote, onDrop }: ContentProps) {
  const { todo } = row;
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
            <button type="button" onClick={onDrop}>
              {todo.status === "cancelled" ? "Take back" : "Drop"}
            </button>
          </span>
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

interface EditProps {
  readonly todo: Todo;
  readonly field: "text" | "note";
  onSave(text: string, note: string): void;
  onCancel(): void;
}

function EditForm({ todo, field, onSave, onCancel }: EditProps) {
  const [text, setText] = useState(todo.text);
  const [note, setNote] = useState("");
  const begin = (isHere: boolean) => (element: HTMLInputElement | HTMLTextAreaElement | null) => {
    if (isHere && element && !element.dataset.begun) {
      element.dataset.begun = "yes";
      element.focus();
      element.select();
    }
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    onSave(text, note);
  };
  return (
    <div class="edit">
      <input
        aria-label="Text of the todo"
        dir="auto"
        value={text}
        ref={begin(field === "text")}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <textarea
        aria-label="Note for the agent"
        placeholder="Add a note for the agent"
        rows={1}
        dir="auto"
        value={note}
        ref={begin(field === "note")}
        onInput={(event) => setNote(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <div class="acts">
        <Button look="go" shortcut="Enter" onClick={() => onSave(text, note)}>
          Save
        </Button>
        <Button look="ghost" shortcut="Escape" onClick={onCancel}>
          Cancel
        </Button>
        <span class="quiet">The agent is told of your change before its next step.</span>
      </div>
    </div>
  );
}

function AddForm({ onAdd, onCancel }: { onAdd: (text: string) => void; onCancel: () => void }) {
  const [text, setText] = useState("");
  const add = () => {
    if (text.trim() === "") onCancel();
    else onAdd(text);
  };
  return (
    <div class="edit add">
      <input
        aria-label="Text of the new todo"
        placeholder="What is to be done"
        dir="auto"
        value={text}
        ref={(element) => {
          if (element && !element.dataset.begun) {
            element.dataset.begun = "yes";
            element.focus();
          }
        }}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.isComposing) add();
        }}
      />
      <div class="acts">
        <Button look="go" shortcut="Enter" onClick={add}>
          Add
        </Button>
        <Button look="ghost" shortcut="Escape" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </div>
  );
}
