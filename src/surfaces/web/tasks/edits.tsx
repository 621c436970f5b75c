import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Task } from "../../../tasks/model.ts";
import { useApp } from "../app-context.ts";
import { useOnce } from "../hooks.ts";
import { Button } from "../parts.tsx";
import { actOn } from "./acts.ts";

type EditField = "subject" | "description";

/** A form that is open. Opened again it is another one. */
interface Edit {
  readonly field: EditField;
  /** What it says when the person begins. */
  readonly text: string;
  /** What they came from. */
  readonly from: Element | null;
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
  return {
    open,
    begin(field) {
      if (open?.field !== field)
        setOpen({ field, text: task[field] ?? "", from: document.activeElement });
    },
    async save(text) {
      const set =
        open?.field === "subject"
          ? { subject: text }
          : { description: text.trim() === "" ? null : text };
      // The answer closes the form that asked, not one that was opened meanwhile.
      if (await actOn(app, { op: "edit", id: task.id, set }))
        setOpen((now) => (now === open ? undefined : now));
    },
    close: () => setOpen(undefined),
  };
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
  const [text, setText] = useState(edit.text);
  const save = useOnce(() => edits.save(text));
  return (
    <div class="edit">
      <input
        aria-label="What is to be done"
        dir="auto"
        value={text}
        ref={(element) => {
          if (element && !element.dataset.begun) {
            element.dataset.begun = "yes";
            element.focus();
            element.select();
          }
        }}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.isComposing) void save();
        }}
      />
      <SaveOrNot onSave={save} onCancel={edits.close} shortcut="Enter" />
    </div>
  );
}

export function EditDescription({ edit, edits }: FormProps) {
  const [text, setText] = useState(edit.text);
  const save = useOnce(() => edits.save(text));
  return (
    <div class="say">
      <textarea
        aria-label="Description"
        dir="auto"
        rows={10}
        value={text}
        ref={(element) => {
          if (element && !element.dataset.begun) {
            element.dataset.begun = "yes";
            element.focus();
          }
        }}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void save();
        }}
      />
      <SaveOrNot onSave={save} onCancel={edits.close} shortcut="Control+Enter" />
    </div>
  );
}

interface SaveOrNotProps {
  readonly shortcut: string;
  onSave(): Promise<void>;
  onCancel(): void;
}

function SaveOrNot({ shortcut, onSave, onCancel }: SaveOrNotProps) {
  return (
    <div class="acts">
      <Button look="go" shortcut={shortcut} onClick={() => void onSave()}>
        Save
      </Button>
      <Button look="ghost" shortcut="Escape" onClick={onCancel}>
        Cancel
      </Button>
    </div>
  );
}
