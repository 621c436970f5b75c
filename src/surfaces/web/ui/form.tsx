import type { ComponentChildren } from "preact";
import { Button } from "./parts.tsx";

type Field = HTMLInputElement | HTMLTextAreaElement;

/** Focuses a field when it is mounted; returns true the first time. */
export function focusOnce(element: Field | null): boolean {
  if (!element || element.dataset.focused) return false;
  element.dataset.focused = "yes";
  element.focus();
  return true;
}

/** Like `focusOnce`, and selects the text. */
export function selectOnce(element: Field | null): void {
  if (focusOnce(element)) element?.select();
}

/**
 * Submits with Enter; Shift+Enter inserts a line break in a textarea. The default is prevented because the
 * key would otherwise activate the element that gets the focus when the form closes.
 */
export const onEnter = (send: () => void) => (event: KeyboardEvent) => {
  if (event.key !== "Enter" || event.isComposing) return;
  if (event.shiftKey && event.target instanceof HTMLTextAreaElement) return;
  event.preventDefault();
  send();
};

interface FormActionsProps {
  readonly submitLabel: string;
  readonly shortcut?: string;
  readonly children?: ComponentChildren;
  onSubmit(): void;
  onCancel(): void;
}

/** The buttons below a form. */
export function FormActions({
  submitLabel,
  shortcut = "Enter",
  children,
  onSubmit,
  onCancel,
}: FormActionsProps) {
  return (
    <div class="actions">
      <Button look="primary" shortcut={shortcut} onClick={onSubmit}>
        {submitLabel}
      </Button>
      <Button look="ghost" shortcut="Escape" onClick={onCancel}>
        Cancel
      </Button>
      {children}
    </div>
  );
}
