import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Task, TaskEvent } from "../../../tasks/model.ts";
import { userOps } from "../../../tasks/rules/user-ops.ts";
import { fetchTask } from "../connection/api.ts";
import { ConflictChoice } from "../session/todos/conflict.tsx";
import { useApp } from "../state/app-context.ts";
import { useSingleFlight } from "../state/hooks.ts";
import { FormActions, focusOnce, onEnter, selectOnce } from "../ui/form.tsx";
import { Text } from "../ui/parts.tsx";
import { type Problem, send } from "./actions.ts";

type EditField = "subject" | "description";

/** An open form. Compared by identity: reopening creates a new one. */
interface Edit {
  readonly field: EditField;
  /** The task as the user last saw it. */
  readonly seen: Task;
  /** The element that had focus before. */
  readonly from: Element | null;
  /** The author of a concurrent change, if there was one. */
  readonly other?: Pick<TaskEvent, "by" | "actor" | "at">;
}

export interface Edits {
  readonly open: Edit | undefined;
  begin(field: EditField): void;
  save(text: string): Promise<void>;
  close(): void;
}

/** Element ids of the headings above editable fields. */
export const HEADINGS: Readonly<Record<EditField, string>> = {
  subject: "subject-title",
  description: "description-title",
};

/** The open edit form of a task page; at most one at a time. */
export function useEdits(task: Task): Edits {
  const app = useApp();
  const [open, setOpen] = useState<Edit | undefined>();
  const last = useRef<Edit | undefined>(undefined);
  useLayoutEffect(() => {
    if (!open && last.current) focusAfter(last.current);
    last.current = open;
  }, [open]);
  useLayoutEffect(
    () => () => {
      last.current = undefined;
    },
    [],
  );
  /** Shows a conflict in the open form, or as a toast if it was closed. */
  const explain = async (edit: Edit, { problem, isConflict }: Problem): Promise<void> => {
    const now = isConflict ? await fetchTask(task.id).catch(() => undefined) : undefined;
    if (!now || last.current !== edit) {
      app.notify({ text: problem, isProblem: true });
      return;
    }
    const { task: seen, events } = now;
    const known = events.findLast(({ set }) => edit.field in set);
    // A long history is truncated, so the event may be missing.
    setOpen({ ...edit, seen, other: known ?? { by: "agent", at: seen.updatedAt } });
  };
  return {
    open,
    begin(field) {
      if (open?.field !== field) setOpen({ field, seen: task, from: document.activeElement });
    },
    async save(text) {
      if (!open) return;
      const { field, seen } = open;
      const op = field === "subject" ? userOps.rename(seen, text) : userOps.describe(seen, text);
      const tried = text === textOf(open) ? undefined : await send(app, op);
      if (tried && "problem" in tried) await explain(open, tried);
      // Close only the form that was sent, not one that was opened since.
      else setOpen((now) => (now === open ? undefined : now));
    },
    close: () => setOpen(undefined),
  };
}

function textOf({ field, seen }: Edit): string {
  return seen[field] ?? "";
}

/** Restores the focus, unless the user has moved it. */
function focusAfter({ field, from }: Edit): void {
  if (document.activeElement !== document.body) return;
  const canFocus = from instanceof HTMLElement && from !== document.body && from.isConnected;
  (canFocus ? from : document.getElementById(HEADINGS[field]))?.focus();
}

interface FormProps {
  readonly edit: Edit;
  readonly edits: Edits;
}

export function EditSubject({ edit, edits }: FormProps) {
  const [text, setText] = useState(textOf(edit));
  const save = useSingleFlight(() => edits.save(text));
  return (
    <div class="edit" data-form>
      <input
        aria-label="Subject"
        dir="auto"
        value={text}
        ref={selectOnce}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onEnter(() => void save())}
      />
      <EditActions edit={edit} text={text} onSave={save} onClose={edits.close} shortcut="Enter" />
    </div>
  );
}

export function EditDescription({ edit, edits }: FormProps) {
  const [text, setText] = useState(textOf(edit));
  const save = useSingleFlight(() => edits.save(text));
  return (
    <div class="compose" data-form>
      <textarea
        aria-label="Description"
        dir="auto"
        rows={10}
        value={text}
        ref={(element) => void focusOnce(element)}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void save();
        }}
      />
      <EditActions
        edit={edit}
        text={text}
        onSave={save}
        onClose={edits.close}
        shortcut="Control+Enter"
      />
    </div>
  );
}

interface EditActionsProps {
  readonly edit: Edit;
  /** The current input. */
  readonly text: string;
  readonly shortcut: string;
  onSave(): Promise<void>;
  onClose(): void;
}

/** The buttons of a form, or the choice in a conflict. */
function EditActions({ edit, text, shortcut, onSave, onClose }: EditActionsProps) {
  const { other } = edit;
  if (other)
    return (
      <ConflictChoice
        by={other.by}
        {...(other.actor !== undefined && { name: other.actor })}
        at={other.at}
        yours={<Text>{text}</Text>}
        theirs={<Text>{textOf(edit)}</Text>}
        onMine={() => void onSave()}
        onTheirs={onClose}
      />
    );
  return (
    <FormActions
      submitLabel="Save"
      shortcut={shortcut}
      onSubmit={() => void onSave()}
      onCancel={onClose}
    />
  );
}
