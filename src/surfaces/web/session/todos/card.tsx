import type { ComponentChildren } from "preact";
import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { callOfCheck } from "../../../../core/activity/calls/of-check.ts";
import { proofRequest } from "../../../../core/checks/ask-for-proof.ts";
import type { CostSum } from "../../../../core/cost/cost.ts";
import { type ChangedFile, filesByTodo } from "../../../../core/files/changed-files.ts";
import type { Todo } from "../../../../core/model.ts";
import type { MergedTrack } from "../../../../core/views/merged.ts";
import { isOpen, type Row, type View } from "../../../../core/views/view.ts";
import { CallsContext } from "../../calls/open-call.ts";
import { whyNotAskHere } from "../../checks/ask.tsx";
import { isRunning, runOf, startRun, whyNot } from "../../checks/runs.ts";
import { useApp } from "../../state/app-context.ts";
import { useHash, useKeys, useStore } from "../../state/hooks.ts";
import { Icon } from "../../ui/icons.tsx";
import { Button, Text } from "../../ui/parts.tsx";
import type { Edit } from "./changes.ts";
import { ConflictBox } from "./conflict.tsx";
import { Evidence } from "./evidence.tsx";
import { AddForm, EditForm } from "./forms.tsx";
import { Content, Mark } from "./row.tsx";
import { SectionList } from "./section-list.tsx";
import { useDragging } from "./use-dragging.ts";
import { useForm } from "./use-form.ts";
import { useSections } from "./use-sections.ts";
import { useSelection } from "./use-selection.ts";
import { type Move, writesOf } from "./writes.ts";

/** Screens on which the evidence of the selected todo is shown beside the list without a key. */
const WIDE = "(min-width: 1101px)";

/** Whether there is more to show than the mark. */
function isBacked({ status, proof }: Todo): boolean {
  return proof !== undefined || status === "completed";
}

interface TodoCardProps {
  readonly merged: MergedTrack;
  readonly view: View;
  /** An earlier state of the list is shown, which cannot be edited. */
  readonly isHistory: boolean;
  /** By id of the todo; absent if the agent records no usage. */
  readonly costs: ReadonlyMap<string, CostSum> | undefined;
  /** The changed files of the session; absent until they are loaded. */
  readonly files: readonly ChangedFile[] | undefined;
  /** When the user asked for proof, by id of the todo. */
  readonly asked: ReadonlyMap<string, number> | undefined;
  readonly strip: ComponentChildren;
}

/** The todos of a session, with editing. */
export function TodoCard({ merged, view, isHistory, costs, files, asked, strip }: TodoCardProps) {
  const app = useApp();
  const { track, hosted } = merged;
  const canEdit = hosted && !isHistory;
  const writes = writesOf(app, track);
  const todoForm = useForm(app, track, writes, (id = chosen) => id !== undefined && focus(id));
  const { form, edit, isRemoved, sending, close } = todoForm;
  const folding = useSections(view, edit?.id);
  const { sections } = folding;
  const rows = sections.flatMap((section) => section.rows);
  const card = useRef<HTMLElement>(null);
  const { chosen, selected, choose, focus, move, focusEnd } = useSelection(rows, card);

  const { runs } = useStore(app.store);
  const byTodo = useMemo(() => filesByTodo(files ?? []), [files]);
  const [hasProof, showProof] = useState(matchMedia(WIDE).matches);
  const isShown =
    selected && (isBacked(selected) || byTodo.has(selected.id) || runOf(runs, track, selected.id));
  const proven = hasProof && isShown ? selected : undefined;
  const canVerify = !isHistory && whyNot(merged, runs) === undefined;
  const canAsk = ({ status }: Todo): boolean => !isHistory && status === "completed";

  const { calls, open: openCall, show: showCall } = useContext(CallsContext);
  const backing = selected && callOfCheck(calls, selected.check);
  const showBacking = (): void => {
    if (selected) showCall({ call: backing, todo: { id: selected.id, text: selected.text } });
  };
  useEffect(() => {
    // The drawer follows the selection.
    if (selected && openCall?.todo && openCall.todo.id !== selected.id) showBacking();
  }, [selected?.id]);

  const setStatus = (todo: Todo, to: Move): void =>
    void writes.setStatus(todo, to, (refused, ops) => todoForm.showConflict(todo, refused, ops));
  const finish = (todo: Todo): void => setStatus(todo, isOpen(todo) ? "finish" : "reopen");
  const drop = (todo: Todo): void =>
    setStatus(todo, todo.status === "cancelled" ? "reopen" : "drop");
  const placeOf = (id: string): number => track.todos.findIndex((todo) => todo.id === id);
  const shift = (by: number): void => {
    if (selected) writes.reorder(selected, placeOf(selected.id) + by);
  };
  const { over, handlers } = useDragging((from, to) => {
    const todo = track.todos[placeOf(from)];
    if (todo) writes.reorder(todo, placeOf(to));
  });
  const begin = (todo: Todo, field: Edit["field"]): void => {
    choose(todo.id);
    todoForm.begin(todo, field);
  };
  const verify = (todo: Todo | undefined): void => {
    showProof(true);
    void startRun(app, track, todo ? { todo: todo.id } : {});
  };
  const ask = (todo: Todo): void => {
    const why = whyNotAskHere(merged);
    showProof(true);
    if (why !== undefined) app.notify({ text: why, isProblem: true });
    else if (proofRequest(track, todo) !== "pending") void writes.askForProof(todo);
  };
  const closeProof = (): void => {
    showProof(false);
    if (chosen !== undefined) focus(chosen);
  };
  useHash(() => {
    const wanted = /^#todo-(.+)$/.exec(location.hash)?.[1];
    const index = view.groups.findIndex((group) =>
      group.rows.some(({ todo }) => todo.id === wanted),
    );
    const section = sections[index];
    if (wanted === undefined || !section) return;
    folding.open(section);
    focus(wanted);
  }, rows.length > 0);

  const acting = canEdit && form === undefined;
  useKeys({
    j: () => move(1),
    ArrowDown: () => move(1),
    k: () => move(-1),
    ArrowUp: () => move(-1),
    g: () => focusEnd("first"),
    G: () => focusEnd("last"),
    z: folding.toggleDone,
    ...(acting && {
      n: todoForm.add,
      ...(selected && {
        e: () => begin(selected, "text"),
        Enter: () => begin(selected, "text"),
        m: () => begin(selected, "note"),
        " ": () => finish(selected),
        x: () => drop(selected),
        T: () => void writes.promote(selected),
        "alt+ArrowUp": () => shift(-1),
        "alt+ArrowDown": () => shift(1),
      }),
    }),
    ...(canVerify && { v: () => verify(selected) }),
    ...(selected && canAsk(selected) && { V: () => ask(selected) }),
    ...(selected && { o: () => showProof(!hasProof) }),
    ...(proven && { Escape: closeProof }),
    ...(form && { Escape: close }),
  });

  /** Content of the item of a todo: its form, a conflict, or its text. */
  const contentOf = (row: Row) => {
    const { todo } = row;
    if (edit?.id !== todo.id)
      return (
        <Content
          row={withText(row, sending.get(todo.id))}
          canEdit={acting}
          onEdit={() => begin(todo, "text")}
          onNote={() => begin(todo, "note")}
          onDrop={() => drop(todo)}
          onPromote={() => void writes.promote(todo)}
          cost={costs?.get(todo.id)}
          files={byTodo.get(todo.id)}
          isVerifying={isRunning(runOf(runs, track, todo.id))}
          onVerify={
            canVerify
              ? () => {
                  choose(todo.id);
                  verify(todo);
                }
              : undefined
          }
          onProof={() => {
            choose(todo.id);
            showProof(true);
          }}
        />
      );
    const { conflict, typed, field } = edit;
    return conflict ? (
      <ConflictBox {...conflict} onMine={todoForm.keepMine} onTheirs={close} />
    ) : (
      <EditForm key={edit.id} typed={typed} field={field} onSave={todoForm.save} onCancel={close} />
    );
  };
  const item = (row: Row) => {
    const { todo } = row;
    return (
      <li
        key={todo.id}
        data-todo={todo.id}
        class={`todo is-${todo.status}${over === todo.id ? " over" : ""}`}
        tabIndex={todo.id === (chosen ?? rows[0]?.todo.id) ? 0 : -1}
        onFocusIn={() => choose(todo.id)}
        draggable={acting}
        {...handlers(todo)}
      >
        {acting && (
          <span class="grip">
            <Icon name="grip" />
          </span>
        )}
        <Mark row={row} canEdit={canEdit} onFinish={() => finish(todo)} />
        {contentOf(row)}
      </li>
    );
  };

  return (
    <>
      <section
        class={`card list${isHistory ? " history" : ""}`}
        aria-labelledby="list-title"
        ref={card}
      >
        <header>
          <h2 id="list-title">Todos</h2>
          <Legend />
          {canEdit && (
            <Button shortcut="n" onClick={todoForm.add}>
              Add todo
            </Button>
          )}
        </header>
        {strip}
        {view.explanation !== undefined && (
          <p class="explanation">
            <Text>{view.explanation}</Text>
          </p>
        )}
        {edit && isRemoved && (
          <div class="todo removed">
            <p role="alert">This todo was removed meanwhile. Save to add it again.</p>
            <EditForm
              typed={edit.typed}
              field={edit.field}
              onSave={todoForm.save}
              onCancel={close}
            />
          </div>
        )}
        {rows.length === 0 && (
          <p class="empty">
            {view.rows.length > 0
              ? "All todos are closed and hidden."
              : hosted
                ? "No todos yet. Add one; the agent is notified."
                : "No todos yet."}
          </p>
        )}
        <SectionList {...folding} item={item} />
        {form?.what === "add" && (
          <AddForm
            typed={form.typed}
            onAdd={(text) =>
              todoForm.saveAddition(text, selected?.phase ?? view.groups.at(-1)?.phase)
            }
            onCancel={close}
          />
        )}
        {!hosted && rows.length > 0 && (
          <p class="foot-note">Read-only: the agent manages this list.</p>
        )}
      </section>
      {proven && (
        <Evidence
          merged={merged}
          todo={proven}
          cost={costs?.get(proven.id)}
          files={byTodo.get(proven.id)}
          askedAt={asked?.get(proven.id)}
          canVerify={canVerify}
          onCall={backing && showBacking}
          onAsk={canAsk(proven) ? () => ask(proven) : undefined}
          onAccept={() => void writes.acceptWarnings(proven)}
          onClose={closeProof}
        />
      )}
    </>
  );
}

const LEGEND = ["reproduced", "verified", "reported", "unverified", "stale"] as const;

function Legend() {
  return (
    <span class="legend">
      {LEGEND.map((level) => (
        <span key={level}>
          <Icon name={level} /> {level}
        </span>
      ))}
    </span>
  );
}

/** The row with the text that is being saved. */
function withText(row: Row, text: string | undefined): Row {
  return text === undefined ? row : { ...row, todo: { ...row.todo, text } };
}
