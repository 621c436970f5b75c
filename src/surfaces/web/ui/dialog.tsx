import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useApp } from "../state/app-context.ts";
import { type Keys, useIsThere, useKeys, useOnce } from "../state/hooks.ts";

interface BoxProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Why what was answered cannot be. */
  readonly problem?: string | undefined;
  /** What keys do besides closing it. */
  readonly keys?: Keys;
  onClose(): void;
}

/** Stands above the page until it is answered. The page below rests, and gets the focus back. */
export function Box({ title, children, problem, keys, onClose }: BoxProps) {
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
    <dialog ref={dialog} onClose={() => isShown.current && onClose()} aria-labelledby="box-title">
      <h2 id="box-title">{title}</h2>
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
 * Sends what a box asks for, once, and takes the box away when the server has it. `send` says why it
 * cannot be; whoever closed the box before the answer was there is told so elsewhere.
 */
export function useAnswer(send: () => Promise<string | undefined>, onTaken: () => void) {
  const app = useApp();
  const [problem, setProblem] = useState<string | undefined>();
  const isThere = useIsThere();
  const answer = useOnce(async () => {
    const why = await send();
    if (!isThere()) {
      if (why !== undefined) app.tell({ text: why, isProblem: true });
      return;
    }
    setProblem(why);
    if (why === undefined) onTaken();
  });
  return { problem, answer };
}
