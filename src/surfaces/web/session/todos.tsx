import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { restoreOps } from "../../../core/list/undo.ts";
import type { Op, Todo } from "../../../core/model.ts";
import type { MergedTrack } from "../../../core/views/merged.ts";
import { isOpen, type Row, type View } from "../../../core/views/view.ts";
import { Refused, sendOps, sendPromotion } from "../connection/api.ts";
import { useApp } from "../state/app-context.ts";
import { useIsThere, useKeys, useOnce } from "../state/hooks.ts";
import { type Section, sectionsOf } from "../state/sections.ts";
import { Icon } from "../ui/icons.tsx";
import { Button, Text } from "../ui/parts.tsx";
import { ConflictBox } from "./conflict.tsx";
import { addedAgain, changesOf, type Edit, editOf, type Form, target } from "./todo-changes.ts";
import { AddForm, EditForm } from "./todo-forms.tsx";
import { Content, Mark } from "./todo-row.tsx";

/** What a person can do to the status of a todo with one key. */
const MOVES = {
  finish: { said: "Finished", status: "completed" },
  reopen: { said: "Reopened", status: "pending" },
  drop: { said: "Dropped", status: "cancelled" },
} as const;

interface TodoCardProps {
  readonly joined: MergedTrack;
  readonly view: View;
  /** What is shown is how it was: nothing of it can be changed. */
  readonly isPast: boolean;
  readonly strip: ComponentChildren;
}

/** The list, and all that a person can do to it. */
export function TodoCard({ joined, view, isPast, strip }: TodoCardProps) {
  const app = useApp();
  const { track, hosted } = joined;
  const canEdit = hosted && !isPast;
  const [chosen, setChosen] = useState<string | undefined>();
  const [form, setForm] = useState<Form | undefined>();
  const edit = form?.what === "edit" ? form : undefined;
  /** The form that stands open when an answer comes. */
  const shown = useRef(form);
  shown.current = form;
  const isThere = useIsThere();
  const [dragged, setDragged] = useState<string | undefined>();
  const [over, setOver] = useState<string | undefined>();
  const card = useRef<HTMLElement>(null);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const sections = sectionsOf(view, opened, folded, edit?.id);
  const rows = sections.flatMap((section) => section.rows);
  const selected = rows.find(({ todo }) => todo.id === chosen)?.todo;
  const isGone = edit !== undefined && !track.todos.some(({ id }) => id === edit.id);

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
  /**
   * An answer concerns what it was sent from. What changed under the person's hands is shown to them
   * there, and nothing is lost; whoever went on to something else is told.
   */
  const settle = (
    sent: Form | undefined,
    todo: Todo | undefined,
    ops: readonly Op[],
    refused: Refused | undefined,
  ): void => {
    const isHere = isThere() && shown.current === sent;
    if (!refused) {
      if (isHere && sent) close();
    } else if (refused.conflict && isHere && todo) {
      const open = sent?.what === "edit" ? sent : editOf(todo, "text");
      setForm({ ...open, conflict: { answer: refused.conflict, ops } });
    } else if (refused.conflict) app.tell({ text: refused.message, isProblem: true });
  };
  const act = async (todo: Todo, op: Op): Promise<boolean> => {
    const refused = await send([op], todo);
    settle(undefined, todo, [op], refused);
    return refused === undefined;
  };
  const finish = (todo: Todo) => void setStatus(todo, isOpen(todo) ? "finish" : "reopen");
  const drop = (todo: Todo) =>
    void setStatus(todo, todo.status === "cancelled" ? "reopen" : "drop");
  const setStatus = async (todo: Todo, op: keyof typeof MOVES): Promise<void> => {
    if (!(await act(todo, { op, ...target(todo.id) }))) return;
    const { said, status } = MOVES[op];
    app.tell({
      text: `${said} “${todo.text.slice(0, 60)}”.`,
      undo: () => void undo(todo, status),
    });
  };
  /** Gives the todo its former status back, unless it was changed again in the meantime. */
  const undo = async (todo: Todo, now: Todo["status"]): Promise<void> => {
    const refused = await send(restoreOps(todo, { any: todo.id }), { ...todo, status: now });
    if (refused?.conflict) app.tell({ text: refused.message, isProblem: true });
  };
  const promote = async (todo: Todo): Promise<void> => {
    try {
      const { task } = await sendPromotion(track, todo.id);
      app.tell({ text: `“${todo.text.slice(0, 60)}” is task ${task}.` });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      app.tell({ text: error.message, isProblem: true });
    }
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
  const save = useOnce(async () => {
    if (!edit) return;
    const { base, typed } = edit;
    const ops = isGone ? addedAgain(base, typed) : changesOf(base, typed);
    if (ops.length === 0) close();
    else settle(edit, base, ops, await send(ops, base));
  });
  const keepMine = useOnce(async () => {
    if (!edit?.conflict) return;
    const { answer, ops } = edit.conflict;
    settle(edit, edit.base, ops, await send(ops, answer.theirs));
  });
  const add = useOnce(async (text: string) => {
    const phase = selected?.phase ?? view.groups.at(-1)?.phase;
    const ops: readonly Op[] = [
      { op: "add", todos: [{ text, ...(phase !== undefined && { phase }) }] },
    ];
    settle(form, undefined, ops, await send(ops));
  });
  const close = (): void => {
    const { activeElement } = document;
    const isLeft = activeElement !== document.body && !activeElement?.closest(".edit, .conflict");
    setForm(undefined);
    const back = edit?.id ?? chosen;
    if (back !== undefined && !isLeft) focus(back);
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
    setForm(editOf(todo, field));
  };
  const shift = (by: number): void => {
    if (selected) place(selected, track.todos.findIndex(({ id }) => id === selected.id) + by);
  };

  const turn = ({ key, isFolded }: Section): void => {
    const it = new Set([key]);
    setOpened(isFolded ? both(opened, it) : without(opened, it));
    setFolded(isFolded ? without(folded, it) : both(folded, it));
  };
  const openAll = ({ key }: Section): void => setOpened(new Set([...opened, key]));
  /** Folds what is done; where all of it is folded, opens it again. */
  const turnDone = (): void => {
    const done = sections.filter((section) => section.canFold && section.isDone);
    const keys = new Set(done.map(({ key }) => key));
    const areFolded = done.every(({ isFolded }) => isFolded);
    setFolded(areFolded ? without(folded, keys) : both(folded, keys));
    setOpened(areFolded ? both(opened, keys) : without(opened, keys));
  };
  useEffect(() => {
    const wanted = /^#todo-(.+)$/.exec(location.hash)?.[1];
    const place = view.groups.findIndex((group) =>
      group.rows.some(({ todo }) => todo.id === wanted),
    );
    const section = sections[place];
    if (wanted === undefined || !section) return;
    setOpened(new Set([...opened, section.key]));
    focus(wanted);
  }, [rows.length === 0]);

  const acting = canEdit && form === undefined;
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
    z: turnDone,
    ...(acting && {
      n: () => setForm({ what: "add" }),
      ...(selected && {
        e: () => begin(selected, "text"),
        Enter: () => begin(selected, "text"),
        m: () => begin(selected, "note"),
        " ": () => finish(selected),
        x: () => drop(selected),
        T: () => void promote(selected),
        "alt+ArrowUp": () => shift(-1),
        "alt+ArrowDown": () => shift(1),
      }),
    }),
    ...(form && { Escape: close }),
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
          <Button shortcut="n" onClick={() => setForm({ what: "add" })}>
            Add a todo
          </Button>
        )}
      </header>
      {strip}
      {view.explanation !== undefined && (
        <p class="explanation">
          <Text>{view.explanation}</Text>
        </p>
      )}
      {edit && isGone && (
        <div class="todo gone">
          <p role="alert">This todo was taken off the list meanwhile. Save it to add it again.</p>
          <EditForm typed={edit.typed} field={edit.field} onSave={save} onCancel={close} />
        </div>
      )}
      {rows.length === 0 && (
        <p class="empty">
          {view.rows.length > 0
            ? "Every todo is closed and has left the display."
            : hosted
              ? "No todos yet. Add the first one: the agent is told of it."
              : "No list yet."}
        </p>
      )}
      {sections.map((section) => (
        <div key={section.key}>
          {section.phase !== undefined && (
            <h3 class="phase">
              <button type="button" aria-expanded={!section.isFolded} onClick={() => turn(section)}>
                <Text>{section.phase}</Text>{" "}
                <span class="num quiet">
                  {section.completed} of {section.total}
                </span>
              </button>
            </h3>
          )}
          {section.phase === undefined && section.isFolded && (
            <Hidden sign="↑" rows={section.total} word="done" onShow={() => turn(section)} />
          )}
          {section.above.length > 0 && (
            <Hidden
              sign="↑"
              rows={section.above.length}
              word={isDone(section.above) ? "done" : "more"}
              onShow={() => openAll(section)}
            />
          )}
          <ul>
            {section.rows.map((row) => {
              const { todo } = row;
              const isEdited = edit?.id === todo.id;
              return (
                <li
                  key={todo.id}
                  data-todo={todo.id}
                  class={`todo is-${todo.status}${over === todo.id ? " over" : ""}`}
                  tabIndex={todo.id === (chosen ?? rows[0]?.todo.id) ? 0 : -1}
                  onFocusIn={() => setChosen(todo.id)}
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
                    <ConflictBox {...edit.conflict} onMine={keepMine} onTheirs={close} />
                  ) : isEdited ? (
                    <EditForm
                      key={edit.id}
                      typed={edit.typed}
                      field={edit.field}
                      onSave={save}
                      onCancel={close}
                    />
                  ) : (
                    <Content
                      row={row}
                      canEdit={acting}
                      onEdit={() => begin(todo, "text")}
                      onNote={() => begin(todo, "note")}
                      onDrop={() => drop(todo)}
                      onPromote={() => void promote(todo)}
                    />
                  )}
                </li>
              );
            })}
          </ul>
          {section.below.length > 0 && (
            <Hidden
              sign="↓"
              rows={section.below.length}
              word="more"
              onShow={() => openAll(section)}
            />
          )}
        </div>
      ))}
      {form?.what === "add" && <AddForm onAdd={add} onCancel={close} />}
      {!hosted && rows.length > 0 && (
        <p class="foot-note">
          This list is the agent's own: it is shown here, and changed by the agent.
        </p>
      )}
    </section>
  );
}

type Keys = ReadonlySet<string>;

function both(one: Keys, other: Keys): Keys {
  return new Set([...one, ...other]);
}

function without(one: Keys, other: Keys): Keys {
  return new Set([...one].filter((key) => !other.has(key)));
}

function isDone(rows: readonly Row[]): boolean {
  return !rows.some(({ todo }) => isOpen(todo));
}

interface HiddenProps {
  readonly sign: string;
  readonly rows: number;
  readonly word: string;
  onShow(): void;
}

/** Stands for rows that are not drawn. */
function Hidden({ sign, rows, word, onShow }: HiddenProps) {
  return (
    <p class="hidden-rows">
      <button type="button" onClick={onShow}>
        <span aria-hidden="true">{sign}</span> {rows} {word}
        <span class="unseen">, show them</span>
      </button>
    </p>
  );
}
