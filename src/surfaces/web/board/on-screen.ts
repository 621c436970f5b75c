import { useLayoutEffect, useState } from "preact/hooks";

/** Which rows are on screen; they have the attribute `data-shown`. Times and spinners move only in those. */
export interface OnScreen {
  has(key: string): boolean;
  /** Follows an element with the attribute `data-key`. Returns a function that ends it. */
  observe(element: Element): () => void;
}

/** Rows that are this close to the screen count as on it, so that their times are current when they are scrolled to. */
const MARGIN = "300px 0px";

/** Does not rerender while the user scrolls: the next second brings the times up to date. */
export function useOnScreen(): OnScreen {
  const [{ screen, stop }] = useState(openScreen);
  useLayoutEffect(() => stop, []);
  return screen;
}

function openScreen(): { readonly screen: OnScreen; stop(): void } {
  const shown = new Map<string, Element>();
  const hide = (element: Element): void => {
    const key = element.getAttribute("data-key") ?? "";
    if (shown.get(key) === element) shown.delete(key);
  };
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        target.toggleAttribute("data-shown", isIntersecting);
        if (isIntersecting) shown.set(target.getAttribute("data-key") ?? "", target);
        else hide(target);
      }
    },
    { rootMargin: MARGIN },
  );
  return {
    screen: {
      has: (key) => shown.has(key),
      observe(element) {
        observer.observe(element);
        return () => {
          observer.unobserve(element);
          hide(element);
        };
      },
    },
    stop: () => observer.disconnect(),
  };
}
