import { useEffect, useState } from "preact/hooks";
import { newAlerts } from "../../../core/views/notification.ts";
import { alertWords, fromNowOn } from "../../text/notification.ts";
import type { Store } from "./store.ts";

const KEPT = "waymark-alerts";
const GATHER = 300;

/** Whether the browser tells the person of what happens while they look elsewhere. */
export type Alerting = "off" | "on" | "refused";

const never = (): number => Number.POSITIVE_INFINITY;

function kept(): Alerting {
  if (!("Notification" in window)) return "refused";
  if (localStorage.getItem(KEPT) !== "on") return "off";
  return Notification.permission === "granted" ? "on" : "off";
}

export function useAlerts(store: Store): {
  readonly alerting: Alerting;
  turn(): Promise<Alerting>;
} {
  const [alerting, setAlerting] = useState(kept());
  useEffect(() => {
    if (alerting !== "on") return undefined;
    const fresh = newAlerts(fromNowOn());
    let hiddenAt = document.hidden ? fromNowOn() : never;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      timer = undefined;
      for (const alert of fresh([...store.get().tracks.values()])) {
        // Who was looking saw it.
        if (alert.at < hiddenAt()) continue;
        const { title, text } = alertWords(alert);
        // Several pages show it once.
        const shown = new Notification(title, { body: text, tag: alert.key });
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
  }, [alerting, store]);
  return {
    alerting,
    async turn() {
      const wanted =
        alerting === "on"
          ? "off"
          : (await Notification.requestPermission()) === "granted"
            ? "on"
            : "refused";
      localStorage.setItem(KEPT, wanted);
      setAlerting(wanted);
      return wanted;
    },
  };
}
