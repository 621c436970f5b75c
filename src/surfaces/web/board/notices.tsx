import { useCallback, useEffect, useState } from "preact/hooks";
import type { App, Notice } from "../state/app-context.ts";
import { UNDO } from "../state/later.ts";
import { Button } from "../ui/parts.tsx";

interface Notices {
  readonly notices: readonly Notice[];
  readonly tell: App["tell"];
  hide(notice: Notice): void;
}

/** What is said, one thing at a time; what can be taken back stays beside it until it cannot. */
export function useNotices(): Notices {
  const [notices, setNotices] = useState<readonly Notice[]>([]);
  const hide = useCallback(
    (notice: Notice) => setNotices((now) => now.filter((each) => each !== notice)),
    [],
  );
  const tell = useCallback((notice: Notice) => {
    const stays = (each: Notice) => each.undo !== undefined && placeOf(each) !== placeOf(notice);
    setNotices((now) => [...now.filter(stays), notice]);
    return () => hide(notice);
  }, []);
  return { notices, tell, hide };
}

function placeOf({ subject, undo }: Notice): string {
  return subject ?? (undo ? "undo" : "said");
}

export function Toasts({ notices, hide }: Omit<Notices, "tell">) {
  return (
    // What stood there before is not read out again.
    <div class="toasts" role="status" aria-live="polite" aria-atomic="false">
      {notices.map((notice) => (
        <Toast key={placeOf(notice)} notice={notice} hide={hide} />
      ))}
    </div>
  );
}

interface ToastProps {
  readonly notice: Notice;
  hide(notice: Notice): void;
}

function Toast({ notice, hide }: ToastProps) {
  const { text, undo, isProblem } = notice;
  useEffect(() => {
    const timer = setTimeout(() => hide(notice), UNDO);
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <div class={isProblem ? "toast problem" : "toast"}>
      <span>{text}</span>
      {undo && (
        <Button
          look="ghost"
          says={`Undo: ${text}`}
          onClick={() => {
            undo();
            hide(notice);
          }}
        >
          Undo
        </Button>
      )}
    </div>
  );
}
