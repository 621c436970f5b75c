import { useCallback, useEffect, useState } from "preact/hooks";
import { forPage } from "../../../core/text/escape.ts";
import type { App, ToastMessage } from "../state/app-context.ts";
import { UNDO_MS } from "../state/undo.ts";
import { Button } from "../ui/parts.tsx";

interface ToastList {
  readonly toasts: readonly ToastMessage[];
  readonly notify: App["notify"];
  hide(toast: ToastMessage): void;
}

/** Shows one toast at a time; toasts with an undo button stay until undo is no longer possible. */
export function useToasts(): ToastList {
  const [toasts, setToasts] = useState<readonly ToastMessage[]>([]);
  const hide = useCallback(
    (toast: ToastMessage) => setToasts((now) => now.filter((each) => each !== toast)),
    [],
  );
  const notify = useCallback((toast: ToastMessage) => {
    const stays = (each: ToastMessage) =>
      each.undo !== undefined && subjectOf(each) !== subjectOf(toast);
    setToasts((now) => [...now.filter(stays), toast]);
    return () => hide(toast);
  }, []);
  return { toasts, notify, hide };
}

function subjectOf({ subject, undo }: ToastMessage): string {
  return subject ?? (undo ? "undo" : "message");
}

export function Toasts({ toasts, hide }: Omit<ToastList, "notify">) {
  return (
    // Screen readers announce only the new toast.
    <div class="toasts" role="status" aria-live="polite" aria-atomic="false">
      {toasts.map((toast) => (
        <Toast key={subjectOf(toast)} toast={toast} hide={hide} />
      ))}
    </div>
  );
}

interface ToastProps {
  readonly toast: ToastMessage;
  hide(toast: ToastMessage): void;
}

function Toast({ toast, hide }: ToastProps) {
  const { undo, isProblem } = toast;
  const text = forPage(toast.text);
  useEffect(() => {
    const timer = setTimeout(() => hide(toast), UNDO_MS);
    return () => clearTimeout(timer);
  }, [toast]);
  return (
    <div class={isProblem ? "toast problem" : "toast"}>
      <span>{text}</span>
      {undo && (
        <Button
          look="ghost"
          label={`Undo: ${text}`}
          onClick={() => {
            undo();
            hide(toast);
          }}
        >
          Undo
        </Button>
      )}
    </div>
  );
}
