import type { ComponentChildren } from "preact";
import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { callOfCheck } from "../../../../core/activity/calls/of-check.ts";
import { ASK_FOR_PROOF, proofRequest } from "../../../../core/checks/ask-for-proof.ts";
import type { CostSum } from "../../../../core/cost/cost.ts";
import { type ChangedFile, filesByTodo } from "../../../../core/files/changed-files.ts";
import { restoreOps } from "../../../../core/list/undo.ts";
import type { Op, Todo } from "../../../../core/model.ts";
import { trackKey } from "../../../../core/text/ids.ts";
import type { MergedTrack } from "../../../../core/views/merged.ts";
import { isOpen, type Row, type View } from "../../../../core/views/view.ts";
import { CallsContext } from "../../calls/open-call.ts";
import { AskForProof, whyNotAskHere } from "../../checks/ask.tsx";
import { isRunning, runOf, startRun, whyNot } from "../../checks/runs.ts";
import { Verify } from "../../checks/verify.tsx";
import { Refused, sendAccept, sendOps, sendPromotion } from "../../connection/api.ts";
import { useApp } from "../../state/app-context.ts";
import { useHash, useIsMounted, useKeys, useStore } from "../../state/hooks.ts";
import { type Section, sectionsOf } from "../../state/sections.ts";
import { withoutKey } from "../../state/without-key.ts";
import { CostLine } from "../../ui/cost.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Button, Text } from "../../ui/parts.tsx";
import { TodoFiles } from "../changed-files.tsx";
import {
  addedAgain,
  changesOf,
  type Edit,
  editOf,
  type Form,
  leftForms,
  newAddition,
  shortText,
  target,
  undoneEdit,
  undoneMove,
} from "./changes.ts";
import { ConflictBox } from "./conflict.tsx";
import { AddForm, EditForm } from "./forms.tsx";
import { ProofCard } from "./proof-card.tsx";
import { Content, Mark } from "./row.tsx";

/** Screens on which the evidence of the selected todo is shown beside the list without a key. */
const WIDE = "(min-width: 1101px)";

/** Whether there is more to show than the mark. */
function isBacked({ status, proof }: Todo): boolean {
  return proof !== undefined || status === "completed";
}

/** Status changes with a single key. */
const MOVES = {
  finish: { verb: "Completed", status: "completed" },
  reopen: { verb: "Reopened", status: "pending" },
  drop: { verb: "Cancelled", status: "cancelled" },
} as const;

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
  const [chosen, setChosen] = useState<string | undefined>();
  const key = trackKey(track);
  const [form, setForm] = useState<Form | undefined>(() => leftForms.get(key));
  const edit = form?.what === "edit" ? form : undefined;
  /** The open form, for responses that arrive later. */
  const shown = useRef(form);
  shown.current = form;
  useEffect(() => {
    if (form) leftForms.set(key, form);
    else leftForms.delete(key);
  }, [form]);
  const isMounted = useIsMounted();
  /** Texts that are being saved, by id of the todo. */
  const [sending, setSending] = useState<ReadonlyMap<string, string>>(new Map());
  const [dragged, setDragged] = useState<string | undefined>();
  const [over, setOver] = useState<string | undefined>();
  const card = useRef<HTMLElement>(null);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const sections = sectionsOf(view, opened, folded, edit?.id);
  const rows = sections.flatMap((section) => section.rows);
  const selected = rows.find(({ todo }) => todo.id === chosen)?.todo;
  const [hasProof, showProof] = useState(matchMedia(WIDE).matches);
  const byTodo = useMemo(() => filesByTodo(files ?? []), [files]);
  const isShown =
    selected &&
    (isBacked(selected) ||
      byTodo.has(selected.id) ||
      runOf(app.store.get().runs, track, selected.id));
  const proven = hasProof && isShown ? selected : undefined;
  const { calls, open: openCall, show: showCall } = useContext(CallsContext);
  const backing = selected && callOfCheck(calls, selected.check);
  const showBacking = (): void => {
    if (selected) showCall({ call: backing, todo: { id: selected.id, text: selected.text } });
  };
  useEffect(() => {
    // The drawer follows the selection.
    if (selected && openCall?.todo && openCall.todo.id !== selected.id) showBacking();
  }, [selected?.id]);
  const isRemoved = edit !== undefined && !track.todos.some(({ id }) => id === edit.id);

  const send = async (
    ops: readonly Op[],
    base?: Todo,
    onDone?: (after: readonly Todo[]) => void,
  ): Promise<Refused | undefined> => {
    try {
      const after = await sendOps(track, ops, base && { [base.id]: base });
      onDone?.(after);
      return undefined;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (!error.conflict) app.notify({ text: error.message, isProblem: true });
      return error;
    }
  };
  /**
   * Sends a form and closes it at once: the next keys belong to the list. A refused form is open again with its input,
   * unless the user opened another one.
   */
  const sendForm = async (
    sent: Form,
    ops: readonly Op[],
    base: Todo | undefined,
    onDone: (after: readonly Todo[]) => void,
  ): Promise<void> => {
    // Repeated Enter.
    if (shown.current !== sent) return;
    const id = sent.what === "edit" ? sent.id : "";
    setSending((now) => new Map(now).set(id, sent.typed.text));
    close();
    const refused = await send(ops, base, onDone);
    if (isMounted()) setSending((now) => withoutKey(now, id));
    if (refused && !refused.conflict && isMounted() && shown.current === undefined) setForm(sent);
    else settle(sent, base, ops, refused);
  };
  /** Shows a conflict in its form; as a toast if another form is open now. */
  const settle = (
    sent: Form | undefined,
    todo: Todo | undefined,
    ops: readonly Op[],
    refused: Refused | undefined,
  ): void => {
    if (!refused?.conflict) return;
    if (isMounted() && shown.current === undefined && todo) {
      const open = sent?.what === "edit" ? sent : editOf(todo, "text");
      setForm({ ...open, conflict: { answer: refused.conflict, ops } });
    } else if (refused.conflict) app.notify({ text: refused.message, isProblem: true });
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
    const { verb, status } = MOVES[op];
    app.notify({
      text: `${verb} “${shortText(todo)}”.`,
      undo: () => void undo(todo, status),
    });
  };
  /** Restores a todo, unless it was changed since. */
  const restore = async (ops: readonly Op[], now: Todo | undefined): Promise<void> => {
    const refused = await send(ops, now);
    if (refused?.conflict) app.notify({ text: refused.message, isProblem: true });
  };
  const undo = (todo: Todo, now: Todo["status"]): Promise<void> =>
    restore(restoreOps(todo, { any: todo.id }), { ...todo, status: now });
  const notifyEdited = (before: Todo, after: readonly Todo[]): void => {
    const now = after.find(({ id }) => id === before.id);
    app.notify({
      text: `Changed “${shortText(before)}”.`,
      undo: () => void restore(undoneEdit(before), now),
    });
  };
  /** The todos that a form added. */
  const notifyAdded = (after: readonly Todo[]): void => {
    const known = new Set(track.todos.map(({ id }) => id));
    const added = after.filter(({ id, addedBy }) => !known.has(id) && addedBy === "user").at(-1);
    if (added)
      app.notify({
        text: `Added “${shortText(added)}”.`,
        undo: () => void restore([{ op: "remove", ...target(added.id) }], added),
      });
  };
  const promote = async (todo: Todo): Promise<void> => {
    try {
      const { task } = await sendPromotion(track, todo.id);
      app.notify({ text: `Promoted “${shortText(todo)}” to task ${task}.` });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      app.notify({ text: error.message, isProblem: true });
    }
  };
  const reorder = (todo: Todo, to: number): void => {
    if (to < 0 || to >= track.todos.length) return;
    // The todo joins the phase at its new position.
    const phase = track.todos[to]?.phase ?? null;
    const moved: Op[] = [{ op: "move", ...target(todo.id), to }];
    if (phase !== (todo.phase ?? null))
      moved.push({ op: "edit", ...target(todo.id), set: { phase } });
    const back = undoneMove(track, todo);
    void send(moved, undefined, () =>
      app.notify({
        text: `Moved “${shortText(todo)}”.`,
        undo: () => void restore(back, undefined),
      }),
    );
  };
  const save = async (): Promise<void> => {
    if (!edit) return;
    const { base, typed } = edit;
    const ops = isRemoved ? addedAgain(base, typed) : changesOf(base, typed);
    if (ops.length === 0) close();
    else
      await sendForm(edit, ops, base, (after) =>
        isRemoved ? notifyAdded(after) : notifyEdited(base, after),
      );
  };
  const keepMine = async (): Promise<void> => {
    if (!edit?.conflict) return;
    const { answer, ops } = edit.conflict;
    const { theirs } = answer;
    await sendForm(edit, ops, theirs, (after) => notifyEdited(theirs, after));
  };
  const add = async (text: string): Promise<void> => {
    const phase = selected?.phase ?? view.groups.at(-1)?.phase;
    const ops: readonly Op[] = [
      { op: "add", todos: [{ text, ...(phase !== undefined && { phase }) }] },
    ];
    if (form) await sendForm(form, ops, undefined, notifyAdded);
  };
  const close = (): void => {
    const { activeElement } = document;
    const isLeft = activeElement !== document.body && !activeElement?.closest(".edit, .conflict");
    setForm(undefined);
    shown.current = undefined;
    const back = edit?.id ?? chosen;
    if (back !== undefined && !isLeft) focus(back);
  };
  const focus = (id: string): void => {
    setChosen(id);
    const show = (): boolean => {
      const found = card.current?.querySelector<HTMLElement>(`[data-todo="${CSS.escape(id)}"]`);
      found?.focus();
      found?.scrollIntoView({ block: "nearest" });
      return found !== null && found === document.activeElement;
    };
    if (show()) return;
    // A row that is about to be drawn, or behind a dialog that is about to close, unless the user types somewhere by then.
    requestAnimationFrame(() => {
      if (!document.activeElement?.matches("input, textarea, select")) show();
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
  const { runs } = useStore(app.store);
  const canVerify = !isHistory && whyNot(merged, runs) === undefined;
  const verify = (): void => {
    void startRun(app, track, selected ? { todo: selected.id } : {});
    showProof(true);
  };
  const canAsk = ({ status }: Todo): boolean => !isHistory && status === "completed";
  const ask = async (todo: Todo): Promise<void> => {
    const why = whyNotAskHere(merged);
    showProof(true);
    if (why !== undefined) app.notify({ text: why, isProblem: true });
    else if (proofRequest(track, todo) !== "pending")
      await send([{ op: "note", ...target(todo.id), text: ASK_FOR_PROOF }], undefined, (after) =>
        app.notify({
          text: `Asked for proof of “${shortText(todo)}”.`,
          undo: () =>
            void restore(
              undoneEdit(todo),
              after.find(({ id }) => id === todo.id),
            ),
        }),
      );
  };
  const accept = async (): Promise<void> => {
    if (!proven) return;
    try {
      await sendAccept(track, proven.id);
      app.notify({ text: "Warnings accepted." });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      app.notify({ text: error.message, isProblem: true });
    }
  };
  const closeProof = (): void => {
    showProof(false);
    if (chosen !== undefined) focus(chosen);
  };
  const shift = (by: number): void => {
    if (selected) reorder(selected, track.todos.findIndex(({ id }) => id === selected.id) + by);
  };

  const toggle = ({ key, isFolded }: Section): void => {
    const it = new Set([key]);
    setOpened(isFolded ? both(opened, it) : without(opened, it));
    setFolded(isFolded ? without(folded, it) : both(folded, it));
  };
  const openAll = ({ key }: Section): void => setOpened(new Set([...opened, key]));
  /** Folds finished sections, or unfolds them if all are folded. */
  const toggleDone = (): void => {
    const done = sections.filter((section) => section.canFold && section.isDone);
    const keys = new Set(done.map(({ key }) => key));
    const areFolded = done.every(({ isFolded }) => isFolded);
    setFolded(areFolded ? without(folded, keys) : both(folded, keys));
    setOpened(areFolded ? both(opened, keys) : without(opened, keys));
  };
  useHash(() => {
    const wanted = /^#todo-(.+)$/.exec(location.hash)?.[1];
    const index = view.groups.findIndex((group) =>
      group.rows.some(({ todo }) => todo.id === wanted),
    );
    const section = sections[index];
    if (wanted === undefined || !section) return;
    setOpened(new Set([...opened, section.key]));
    focus(wanted);
  }, rows.length > 0);

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
    z: toggleDone,
    ...(acting && {
      n: () => setForm(newAddition()),
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
    ...(canVerify && { v: verify }),
    ...(selected && canAsk(selected) && { V: () => void ask(selected) }),
    ...(selected && { o: () => showProof(!hasProof) }),
    ...(proven && { Escape: closeProof }),
    ...(form && { Escape: close }),
  });

  return (
    <>
      <section
        class={`card list${isHistory ? " history" : ""}`}
        aria-labelledby="list-title"
        ref={card}
      >
        <header>
          <h2 id="list-title">Todos</h2>
          <span class="legend">
            <span>
              <Icon name="reproduced" /> reproduced
            </span>
            <span>
              <Icon name="verified" /> verified
            </span>
            <span>
              <Icon name="reported" /> reported
            </span>
            <span>
              <Icon name="unverified" /> unverified
            </span>
            <span>
              <Icon name="stale" /> stale
            </span>
          </span>
          {canEdit && (
            <Button shortcut="n" onClick={() => setForm(newAddition())}>
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
            <EditForm typed={edit.typed} field={edit.field} onSave={save} onCancel={close} />
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
        {sections.map((section) => (
          <div key={section.key}>
            {section.phase !== undefined && (
              <h3 class="phase">
                <button
                  type="button"
                  aria-expanded={!section.isFolded}
                  onClick={() => toggle(section)}
                >
                  <Text>{section.phase}</Text>{" "}
                  <span class="num quiet">
                    {section.completed} of {section.total}
                  </span>
                </button>
              </h3>
            )}
            {section.phase === undefined && section.isFolded && (
              <Hidden arrow="↑" rows={section.total} label="done" onShow={() => toggle(section)} />
            )}
            {section.above.length > 0 && (
              <Hidden
                arrow="↑"
                rows={section.above.length}
                label={isDone(section.above) ? "done" : "more"}
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
                        reorder(
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
                        row={withText(row, sending.get(todo.id))}
                        canEdit={acting}
                        onEdit={() => begin(todo, "text")}
                        onNote={() => begin(todo, "note")}
                        onDrop={() => drop(todo)}
                        onPromote={() => void promote(todo)}
                        cost={costs?.get(todo.id)}
                        files={byTodo.get(todo.id)}
                        isVerifying={isRunning(runOf(runs, track, todo.id))}
                        onVerify={
                          canVerify
                            ? () => {
                                setChosen(todo.id);
                                showProof(true);
                                void startRun(app, track, { todo: todo.id });
                              }
                            : undefined
                        }
                        onProof={() => {
                          setChosen(todo.id);
                          showProof(true);
                        }}
                      />
                    )}
                  </li>
                );
              })}
            </ul>
            {section.below.length > 0 && (
              <Hidden
                arrow="↓"
                rows={section.below.length}
                label="more"
                onShow={() => openAll(section)}
              />
            )}
          </div>
        ))}
        {form?.what === "add" && <AddForm typed={form.typed} onAdd={add} onCancel={close} />}
        {!hosted && rows.length > 0 && (
          <p class="foot-note">Read-only: the agent manages this list.</p>
        )}
      </section>
      {proven && (
        <ProofCard todo={proven} onAccept={canVerify ? accept : undefined} onClose={closeProof}>
          <CostLine sum={costs?.get(proven.id)} />
          {backing && (
            <div class="proof-actions">
              <Button onClick={showBacking}>
                Show the output of <Text class="mono">{proven.check?.command ?? ""}</Text>
              </Button>
            </div>
          )}
          <TodoFiles key={proven.id} todo={proven.id} files={byTodo.get(proven.id)} />
          {(canVerify || canAsk(proven)) && (
            <div class="proof-actions">
              {canVerify && (
                <Verify
                  merged={merged}
                  todo={proven.id}
                  look={merged.plan?.state === "proposed" ? "plain" : "primary"}
                />
              )}
              {canAsk(proven) && (
                <AskForProof
                  merged={merged}
                  todo={proven}
                  askedAt={asked?.get(proven.id)}
                  onAsk={() => void ask(proven)}
                />
              )}
              {canVerify && (
                <p>
                  Verify runs the check again in a clean checkout. If it passes, the todo counts as
                  reproduced.
                </p>
              )}
            </div>
          )}
        </ProofCard>
      )}
    </>
  );
}

/** The row with the text that is being saved. */
function withText(row: Row, text: string | undefined): Row {
  return text === undefined ? row : { ...row, todo: { ...row.todo, text } };
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
  readonly arrow: string;
  readonly rows: number;
  readonly label: string;
  onShow(): void;
}

/** A button that counts and shows hidden rows. */
function Hidden({ arrow, rows, label, onShow }: HiddenProps) {
  return (
    <p class="hidden-rows">
      <button type="button" onClick={onShow}>
        <span aria-hidden="true">{arrow}</span> {rows} {label}
        <span class="visually-hidden">, show</span>
      </button>
    </p>
  );
}
