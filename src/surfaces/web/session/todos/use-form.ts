import { useEffect, useRef, useState } from "preact/hooks";
import type { Op, Todo, Track } from "../../../../core/model.ts";
import { trackKey } from "../../../../core/text/ids.ts";
import type { Refused } from "../../connection/api.ts";
import type { App } from "../../state/app-context.ts";
import { useIsMounted } from "../../state/hooks.ts";
import { withoutKey } from "../../state/without-key.ts";
import {
  addedAgain,
  changesOf,
  type Edit,
  editOf,
  type Form,
  leftForms,
  newAddition,
} from "./changes.ts";
import type { Writes } from "./writes.ts";

/** The form that edits a todo or adds one. */
export interface TodoForm {
  readonly form: Form | undefined;
  readonly edit: Edit | undefined;
  /** The edited todo was removed meanwhile. */
  readonly isRemoved: boolean;
  /** Texts that are being saved, by id of the todo. */
  readonly sending: ReadonlyMap<string, string>;
  add(): void;
  begin(todo: Todo, field: Edit["field"]): void;
  close(): void;
  save(): Promise<void>;
  /** Resolves a conflict with the user's own text. */
  keepMine(): Promise<void>;
  saveAddition(text: string, phase: string | undefined): Promise<void>;
  /** Shows the conflict of a change without a form. */
  showConflict(todo: Todo, refused: Refused, ops: readonly Op[]): void;
}

/** `onClose` is called with the id of the todo whose form was closed, unless the focus left the form before. */
export function useForm(
  app: App,
  track: Track,
  writes: Writes,
  onClose: (id: string | undefined) => void,
): TodoForm {
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
  const [sending, setSending] = useState<ReadonlyMap<string, string>>(new Map());
  const isRemoved = edit !== undefined && !track.todos.some(({ id }) => id === edit.id);

  const close = (): void => {
    const { activeElement } = document;
    const isLeft = activeElement !== document.body && !activeElement?.closest(".edit, .conflict");
    setForm(undefined);
    shown.current = undefined;
    if (!isLeft) onClose(edit?.id);
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
    } else app.notify({ text: refused.message, isProblem: true });
  };
  /**
   * Sends a form and closes it at once: the next keys belong to the list. A refused form is open again with its input,
   * unless the user opened another one.
   */
  const send = async (
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
    const refused = await writes.send(ops, base, onDone);
    if (isMounted()) setSending((now) => withoutKey(now, id));
    if (refused && !refused.conflict && isMounted() && shown.current === undefined) setForm(sent);
    else settle(sent, base, ops, refused);
  };
  return {
    form,
    edit,
    isRemoved,
    sending,
    add: () => setForm(newAddition()),
    begin: (todo, field) => setForm(editOf(todo, field)),
    close,
    async save() {
      if (!edit) return;
      const { base, typed } = edit;
      const ops = isRemoved ? addedAgain(base, typed) : changesOf(base, typed);
      if (ops.length === 0) close();
      else
        await send(edit, ops, base, (after) =>
          isRemoved ? writes.notifyAdded(after) : writes.notifyEdited(base, after),
        );
    },
    async keepMine() {
      if (!edit?.conflict) return;
      const { answer, ops } = edit.conflict;
      const { theirs } = answer;
      await send(edit, ops, theirs, (after) => writes.notifyEdited(theirs, after));
    },
    async saveAddition(text, phase) {
      const todo = { text, ...(phase !== undefined && { phase }) };
      if (form) await send(form, [{ op: "add", todos: [todo] }], undefined, writes.notifyAdded);
    },
    showConflict: (todo, refused, ops) => settle(undefined, todo, ops, refused),
  };
}
