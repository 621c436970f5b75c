import { useEffect } from "preact/hooks";

let base = "Waymark";
let waiting = 0;

function apply(): void {
  document.title = waiting > 0 ? `(${waiting}) ${base}` : base;
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  const wanted = waiting > 0 ? "/favicon-you.svg" : "/favicon.svg";
  if (icon && icon.getAttribute("href") !== wanted) icon.setAttribute("href", wanted);
}

/** What the tab of the browser says: where one is, and how many wait for a person. */
export function useTitle(title: string): void {
  useEffect(() => {
    base = title;
    apply();
  }, [title]);
}

export function useWaiting(count: number): void {
  useEffect(() => {
    waiting = count;
    apply();
  }, [count]);
}
