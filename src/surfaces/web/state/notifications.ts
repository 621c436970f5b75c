import { useEffect, useState } from "preact/hooks";
import { newNotifications } from "../../../core/views/notification.ts";
import { notificationText, startTime } from "../../text/notification.ts";
import type { PageStore } from "./store.ts";

const STORAGE_KEY = "waymark-alerts";
const DEBOUNCE_MS = 300;

/** Whether desktop notifications are shown while the page is in the background. */
export type NotificationState = "off" | "on" | "refused";

const never = (): number => Number.POSITIVE_INFINITY;

function storedState(): NotificationState {
  if (!("Notification" in window)) return "refused";
  if (localStorage.getItem(STORAGE_KEY) !== "on") return "off";
  return Notification.permission === "granted" ? "on" : "off";
}

export function useNotifications(store: PageStore): {
  readonly notifying: NotificationState;
  toggle(): Promise<NotificationState>;
} {
  const [notifying, setNotifying] = useState(storedState());
  useEffect(() => {
    if (notifying !== "on") return undefined;
    const fresh = newNotifications(startTime());
    let hiddenAt = document.hidden ? startTime() : never;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const notify = (): void => {
      timer = undefined;
      for (const notification of fresh([...store.get().tracks.values()])) {
        // The page was visible when it happened.
        if (notification.at < hiddenAt()) continue;
        const { title, text } = notificationText(notification);
        // The tag deduplicates notifications of several tabs.
        const shown = new Notification(title, { body: text, tag: notification.key });
        shown.onclick = () => focus();
      }
    };
    const stop = store.subscribe(() => {
      timer ??= setTimeout(notify, DEBOUNCE_MS);
    });
    const onVisibility = (): void => {
      hiddenAt = document.hidden ? startTime() : never;
    };
    document.addEventListener("visibilitychange", onVisibility);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onVisibility);
      stop();
    };
  }, [notifying, store]);
  return {
    notifying,
    async toggle() {
      const wanted =
        notifying === "on"
          ? "off"
          : (await Notification.requestPermission()) === "granted"
            ? "on"
            : "refused";
      localStorage.setItem(STORAGE_KEY, wanted);
      setNotifying(wanted);
      return wanted;
    },
  };
}
