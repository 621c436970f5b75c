import { useEffect } from "preact/hooks";
import { forPage } from "../../../core/text/escape.ts";

let base = "Waymark";
let waiting = 0;
let isDemo = false;

function apply(): void {
  const title = isDemo ? `DEMO · ${base}` : base;
  document.title = waiting > 0 ? `(${waiting}) ${title}` : title;
  // Shown on the icon of an installed page, where the system has badges.
  if ("setAppBadge" in navigator) void navigator.setAppBadge(waiting).catch(() => undefined);
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  const wanted = waiting > 0 ? "/favicon-you.svg" : "/favicon.svg";
  if (icon && icon.getAttribute("href") !== wanted) icon.setAttribute("href", wanted);
}

/** Sets the title of the tab; a prefix counts the sessions that need the user. */
export function useTitle(title: string): void {
  useEffect(() => {
    base = forPage(title);
    apply();
  }, [title]);
}

export function useWaitingCount(count: number): void {
  useEffect(() => {
    waiting = count;
    apply();
  }, [count]);
}

export function useDemoTitle(isShown: boolean): void {
  useEffect(() => {
    isDemo = isShown;
    apply();
  }, [isShown]);
}
