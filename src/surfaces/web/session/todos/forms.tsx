import { useState } from "preact/hooks";
import { FormActions, focusOnce, onEnter } from "../../ui/form.tsx";
import type { Addition, EditedText } from "./changes.ts";

interface EditProps {
  readonly typed: EditedText;
  readonly field: "text" | "note";
  onSave(): void;
  onCancel(): void;
}

export function EditForm({ typed, field, onSave, onCancel }: EditProps) {
  const [{ text, note }, setShown] = useState<EditedText>(typed);
  const type = (more: Partial<EditedText>): void => setShown({ ...Object.assign(typed, more) });
  const begin = (isHere: boolean) => (element: HTMLInputElement | HTMLTextAreaElement | null) => {
    if (!isHere || !focusOnce(element)) return;
    if (typed.hasFocused) element?.setSelectionRange(element.value.length, element.value.length);
    else element?.select();
    typed.hasFocused = true;
  };
  const onKey = onEnter(onSave);
  return (
    <div class="edit" data-form>
      <input
        aria-label="Todo text"
        dir="auto"
        value={text}
        ref={begin(field === "text")}
        onInput={(event) => type({ text: event.currentTarget.value })}
        onKeyDown={onKey}
      />
      <textarea
        aria-label="Note for the agent"
        placeholder="Add a note for the agent"
        rows={1}
        dir="auto"
        value={note}
        ref={begin(field === "note")}
        onInput={(event) => type({ note: event.currentTarget.value })}
        onKeyDown={onKey}
      />
      <FormActions submitLabel="Save" onSubmit={onSave} onCancel={onCancel}>
        <span class="quiet">The agent is notified before its next step.</span>
      </FormActions>
    </div>
  );
}

interface AddProps {
  readonly typed: Addition["typed"];
  onAdd(text: string): void;
  onCancel(): void;
}

export function AddForm({ typed, onAdd, onCancel }: AddProps) {
  const [text, setShown] = useState(typed.text);
  const setText = (next: string): void => {
    typed.text = next;
    setShown(next);
  };
  const add = () => {
    if (text.trim() === "") onCancel();
    else onAdd(text);
  };
  return (
    <div class="edit add" data-form>
      <input
        aria-label="New todo"
        placeholder="What needs to be done?"
        dir="auto"
        value={text}
        ref={(element) => void focusOnce(element)}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onEnter(add)}
      />
      <FormActions submitLabel="Add" onSubmit={add} onCancel={onCancel} />
    </div>
  );
}
