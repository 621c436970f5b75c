import { useLayoutEffect, useState } from "preact/hooks";
import { notOnNextFrame, onNextFrame } from "../ui/frame.ts";

/** Which rows are on screen; they have the attribute `data-shown`. Times and spinners move only in those. */
export interface OnScreen {
  has(key: string): boolean;
  /** Follows an element with the attribute `data-key`. Returns a function that ends it. */
  observe(element: Element): () => void;
}

/** Rows that are this close to the screen count as on it, so that scrolling shows current times. */
const MARGIN = "300px 0px";

/** Rerenders when rows come on screen. */
export function useOnScreen(): OnScreen {
  const [, setCount] = useState(0);
  const [{ screen, stop }] = useState(() => openScreen(() => setCount((count) => count + 1)));
  useLayoutEffect(() => stop, []);
  return screen;
}

function openScreen(onShown: () => void): { readonly screen: OnScreen; stop(): void } {
  const shown = new Set<Element>();
  const keys = new Set<string>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) onNextFrame(onShown);
        target.toggleAttribute("data-shown", isIntersecting);
        if (isIntersecting) shown.add(target);
        else shown.delete(target);
      }
      keys.clear();
      for (const element of shown) keys.add(element.getAttribute("data-key") ?? "");
    },
    { rootMargin: MARGIN },
  );
  return {
    screen: {
      has: (key) => keys.has(key),
      observe(element) {
        observer.observe(element);
        return () => {
          observer.unobserve(element);
          shown.delete(element);
        };
      },
    },
    stop() {
      observer.disconnect();
      notOnNextFrame(onShown);
    },
  };
}
