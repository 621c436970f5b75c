import { useEffect, useState } from "preact/hooks";
import { newNotifications } from "../../../core/views/notification.ts";
import { fromNowOn, notificationText } from "../../text/notification.ts";
import type { PageStore } from "./store.ts";

const KEPT = "waymark-alerts";
const GATHER = 300;

/** Whether the browser tells the person of what happens while they look elsewhere. */
export type Notifying = "off" | "on" | "refused";

const never = (): number => Number.POSITIVE_INFINITY;

function kept(): Notifying {
  if (!("Notification" in window)) return "refused";
  if (localStorage.getItem(KEPT) !== "on") return "off";
  return Notification.permission === "granted" ? "on" : "off";
}

export function useNotifications(store: PageStore): {
  readonly notifying: Notifying;
  turn(): Promise<Notifying>;
} {
  const [notifying, setNotifying] = useState(kept());
  useEffect(() => {
    if (notifying !== "on") return undefined;
    const fresh = newNotifications(fromNowOn());
    let hiddenAt = document.hidden ? fromNowOn() : never;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      timer = undefined;
      for (const notification of fresh([...store.get().tracks.values()])) {
        // Who was looking saw it.
        if (notification.at < hiddenAt()) continue;
        const { title, text } = notificationText(notification);
        // Several pages show it once.
        const shown = new Notification(title, { body: text, tag: notification.key });
        shown.onclick = () => focus();
      }
    };
    const stop = store.subscribe(() => {
      timer ??= setTimeout(look, GATHER);
    });
    const turned = (): void => {
      hiddenAt = document.hidden ? fromNowOn() : never;
    };
    document.addEventListener("visibilitychange", turned);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", turned);
      stop();
    };
  }, [notifying, store]);
  return {
    notifying,
    async turn() {
      const wanted =
        notifying === "on"
          ? "off"
          : (await Notification.requestPermission()) === "granted"
            ? "on"
            : "refused";
      localStorage.setItem(KEPT, wanted);
      setNotifying(wanted);
      return wanted;
    },
  };
}
