import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useKeys } from "./hooks.ts";

interface BoxProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Why what was answered cannot be. */
  readonly problem?: string | undefined;
  onClose(): void;
}

/** Stands above the page until it is answered. */
export function Box({ title, children, problem, onClose }: BoxProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useKeys({ Escape: onClose });
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="box-title">
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
