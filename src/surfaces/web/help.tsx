import { useLayoutEffect, useRef } from "preact/hooks";
import { useKeys } from "./hooks.ts";
import { Button } from "./parts.tsx";

const KEYS: readonly (readonly [string, string])[] = [
  ["j k ↑ ↓", "move"],
  ["enter", "open a track, edit a todo"],
  ["esc", "back"],
  ["g G", "first, last"],
  ["/", "search"],
  ["f", "filter the board"],
  ["t", "tasks"],
  ["a r c", "approve, reject, comment a plan"],
  ["p", "plan"],
  ["n", "add a todo"],
  ["e", "edit it"],
  ["space", "finish or reopen it"],
  ["x", "drop it, or take it back"],
  ["m", "note for the agent"],
  ["alt ↑ ↓", "put it elsewhere"],
  ["h [ ]", "history, step by step"],
  ["d", "light, dark, as the system"],
  ["?", "this help"],
];

export function Help({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useKeys({ Escape: onClose, "?": onClose });
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="help-title">
      <h2 id="help-title">Keys</h2>
      <dl>
        {KEYS.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <Button onClick={onClose} shortcut="Escape">
        Close
      </Button>
    </dialog>
  );
}
