import { useEffect, useRef, useState } from "preact/hooks";
import { copyText } from "./clipboard.ts";

const SHOWN = 2_000;
const LABELS = { idle: "Copy", copied: "Copied", failed: "Press Ctrl+C" } as const;

/** A command to run in a terminal, with a button that copies it. */
export function Command({ children: command }: { readonly children: string }) {
  const [state, setState] = useState<keyof typeof LABELS>("idle");
  const text = useRef<HTMLElement>(null);
  useEffect(() => {
    if (state === "idle") return undefined;
    const timer = setTimeout(() => setState("idle"), SHOWN);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async (): Promise<void> => {
    const isCopied = await copyText(command);
    if (!isCopied && text.current) getSelection()?.selectAllChildren(text.current);
    setState(isCopied ? "copied" : "failed");
  };
  return (
    <span class="command">
      <code ref={text}>{command}</code>
      <button
        type="button"
        class="button"
        aria-label={`Copy ${command}`}
        onClick={() => void copy()}
      >
        {LABELS[state]}
      </button>
      <span class="visually-hidden" role="status">
        {state === "idle" ? "" : `${LABELS[state]}: ${command}`}
      </span>
    </span>
  );
}
