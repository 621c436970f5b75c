import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { forPage } from "../../../core/text/escape.ts";
import { useApp } from "../state/app-context.ts";
import { type Keys, useIsMounted, useKeys, useSingleFlight } from "../state/hooks.ts";

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Why the input was refused. */
  readonly problem?: string | undefined;
  /** Shortcuts besides Escape. */
  readonly keys?: Keys;
  onClose(): void;
}

/** A modal dialog. Blocks the shortcuts of the page and restores the focus when closed. */
export function Dialog({ title, children, problem, keys, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isShown = useRef(false);
  useKeys({ Escape: onClose, ...keys }, true);
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    isShown.current = true;
    return () => {
      isShown.current = false;
      current?.close();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      onClose={() => isShown.current && onClose()}
      aria-labelledby="dialog-title"
    >
      <h2 id="dialog-title">{forPage(title)}</h2>
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {children}
    </dialog>
  );
}

/**
 * Submits a dialog once and closes it on success. `send` returns the reason if it was refused, which is
 * shown as a toast if the dialog was closed before.
 */
export function useSubmit(send: () => Promise<string | undefined>, onDone: () => void) {
  const app = useApp();
  const [problem, setProblem] = useState<string | undefined>();
  const isMounted = useIsMounted();
  const submit = useSingleFlight(async () => {
    const why = await send();
    if (!isMounted()) {
      if (why !== undefined) app.notify({ text: why, isProblem: true });
      return;
    }
    setProblem(why);
    if (why === undefined) onDone();
  });
  return { problem, submit };
}
