import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { forPage } from "../../../core/text/escape.ts";
import { copyText } from "./clipboard.ts";

const SHOWN = 2_000;
const LABELS = { idle: "Copy", copied: "Copied", failed: "Press Ctrl+C" } as const;

interface CopyButtonProps {
  text(): string;
  /** Name of the copied text, for screen readers. */
  readonly what: string;
  /** Selected if the browser blocks copying. */
  readonly shown?: RefObject<HTMLElement | null>;
}

export function CopyButton({ text, what, shown }: CopyButtonProps) {
  const [state, setState] = useState<keyof typeof LABELS>("idle");
  useEffect(() => {
    if (state === "idle") return undefined;
    const timer = setTimeout(() => setState("idle"), SHOWN);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async (): Promise<void> => {
    const isCopied = await copyText(text());
    if (!isCopied && shown?.current) getSelection()?.selectAllChildren(shown.current);
    setState(isCopied ? "copied" : "failed");
  };
  return (
    <>
      <button type="button" class="button" aria-label={`Copy ${what}`} onClick={() => void copy()}>
        {LABELS[state]}
      </button>
      <span class="visually-hidden" role="status">
        {state === "idle" ? "" : `${LABELS[state]}: ${what}`}
      </span>
    </>
  );
}

/** A command to run in a terminal, with a button that copies it. */
export function Command({ children: command }: { readonly children: string }) {
  const text = useRef<HTMLElement>(null);
  return (
    <span class="command">
      <code ref={text}>{forPage(command)}</code>
      <CopyButton text={() => command} what={command} shown={text} />
    </span>
  );
}
