import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Task, TaskEvent } from "../../../tasks/model.ts";
import { byHand } from "../../../tasks/rules/by-hand.ts";
import { fetchTask } from "../connection/api.ts";
import { Choice } from "../session/conflict.tsx";
import { useApp } from "../state/app-context.ts";
import { useOnce } from "../state/hooks.ts";
import { FormActs, focusOnce, onEnter, selectOnce } from "../ui/form.tsx";
import { Text } from "../ui/parts.tsx";
import { type Problem, send } from "./acts.ts";

type EditField = "subject" | "description";

/** A form that is open. Opened again it is another one. */
interface Edit {
  readonly field: EditField;
  /** The task as the person knows it. */
  readonly seen: Task;
  /** What they came from. */
  readonly from: Element | null;
  /** Who wrote what is there now, when somebody did since they began. */
  readonly other?: Pick<TaskEvent, "by" | "actor" | "at">;
}

export interface Edits {
  readonly open: Edit | undefined;
  begin(field: EditField): void;
  save(text: string): Promise<void>;
  close(): void;
}

/** The headings over what can be edited. */
export const HEADINGS: Readonly<Record<EditField, string>> = {
  subject: "subject-title",
  description: "description-title",
};

/** The one form of a task's page that is open, and what becomes of it. */
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
  /** What changed under the person's hands is shown to them; whoever has left the form is told. */
  const explain = async (edit: Edit, { problem, isConflict }: Problem): Promise<void> => {
    const now = isConflict ? await fetchTask(task.id).catch(() => undefined) : undefined;
    if (!now || last.current !== edit) {
      app.tell({ text: problem, isProblem: true });
      return;
    }
    const { task: seen, events } = now;
    const known = events.findLast(({ set }) => edit.field in set);
    // Of a long history only the end is there.
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
      const op = field === "subject" ? byHand.rename(seen, text) : byHand.describe(seen, text);
      const tried = text === textOf(open) ? undefined : await send(app, op);
      if (tried && "problem" in tried) await explain(open, tried);
      // The answer closes the form that asked, not one that was opened meanwhile.
      else setOpen((now) => (now === open ? undefined : now));
    },
    close: () => setOpen(undefined),
  };
}

function textOf({ field, seen }: Edit): string {
  return seen[field] ?? "";
}

/** Back to where the person came from; whoever is somewhere else by now stays there. */
function focusAfter({ field, from }: Edit): void {
  if (document.activeElement !== document.body) return;
  const isThere = from instanceof HTMLElement && from !== document.body && from.isConnected;
  (isThere ? from : document.getElementById(HEADINGS[field]))?.focus();
}

interface FormProps {
  readonly edit: Edit;
  readonly edits: Edits;
}

export function EditSubject({ edit, edits }: FormProps) {
  const [text, setText] = useState(textOf(edit));
  const save = useOnce(() => edits.save(text));
  return (
    <div class="edit" data-form>
      <input
        aria-label="What is to be done"
        dir="auto"
        value={text}
        ref={selectOnce}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onEnter(() => void save())}
      />
      <EndOf edit={edit} text={text} onSave={save} onClose={edits.close} shortcut="Enter" />
    </div>
  );
}

export function EditDescription({ edit, edits }: FormProps) {
  const [text, setText] = useState(textOf(edit));
  const save = useOnce(() => edits.save(text));
  return (
    <div class="say" data-form>
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
      <EndOf edit={edit} text={text} onSave={save} onClose={edits.close} shortcut="Control+Enter" />
    </div>
  );
}

interface EndProps {
  readonly edit: Edit;
  /** As it is typed by now. */
  readonly text: string;
  readonly shortcut: string;
  onSave(): Promise<void>;
  onClose(): void;
}

/** The ways out of a form. */
function EndOf({ edit, text, shortcut, onSave, onClose }: EndProps) {
  const { other } = edit;
  if (other)
    return (
      <Choice
        by={other.by}
        {...(other.actor !== undefined && { name: other.actor })}
        at={other.at}
        yours={<Text>{text}</Text>}
        theirs={<Text>{textOf(edit)}</Text>}
        onMine={() => void onSave()}
        onTheirs={onClose}
      />
    );
  return <FormActs go="Save" shortcut={shortcut} onGo={() => void onSave()} onCancel={onClose} />;
}
