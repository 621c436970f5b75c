import type { ComponentChildren } from "preact";
import { Button } from "./parts.tsx";

type Field = HTMLInputElement | HTMLTextAreaElement;

/** Puts the cursor into a field when it appears; true the first time. */
export function focusOnce(element: Field | null): boolean {
  if (!element || element.dataset.begun) return false;
  element.dataset.begun = "yes";
  element.focus();
  return true;
}

/** The same, and selects the text. */
export function selectOnce(element: Field | null): void {
  if (focusOnce(element)) element?.select();
}

/**
 * Sends with Enter; Shift+Enter breaks the line of a textarea. The key goes no further: the element
 * that gets the focus when the form closes would be pressed with it.
 */
export const onEnter = (send: () => void) => (event: KeyboardEvent) => {
  if (event.key !== "Enter" || event.isComposing) return;
  if (event.shiftKey && event.target instanceof HTMLTextAreaElement) return;
  event.preventDefault();
  send();
};

interface FormActsProps {
  /** The word on the button. */
  readonly go: string;
  readonly shortcut?: string;
  readonly children?: ComponentChildren;
  onGo(): void;
  onCancel(): void;
}

/** The buttons below a form. */
export function FormActs({ go, shortcut = "Enter", children, onGo, onCancel }: FormActsProps) {
  return (
    <div class="acts">
      <Button look="go" shortcut={shortcut} onClick={onGo}>
        {go}
      </Button>
      <Button look="ghost" shortcut="Escape" onClick={onCancel}>
        Cancel
      </Button>
      {children}
    </div>
  );
}
