import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { State, Store } from "./store.ts";

/** The state of the store, drawn anew whenever it changes. */
export function useStore(store: Store): State {
  const [state, setState] = useState(store.get());
  useLayoutEffect(() => {
    setState(store.get());
    return store.subscribe(() => setState(store.get()));
  }, [store]);
  return state;
}

/** The time, which passes only while something that is shown depends on it. */
export function useNow(passes: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    setNow(Date.now());
    if (!passes) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [passes]);
  return passes ? now : Date.now();
}

/** What a person sends is sent once, however often they press Enter before the answer is there. */
export function useOnce<Given extends readonly unknown[]>(
  send: (...given: Given) => Promise<void>,
): (...given: Given) => Promise<void> {
  const isUnderWay = useRef(false);
  return async (...given) => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    try {
      await send(...given);
    } finally {
      isUnderWay.current = false;
    }
  };
}

export type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>;

interface Layer {
  keys: Keys;
  /** Drawing goes from the outside in, so that a part comes after what holds it. */
  readonly order: number;
}

const layers: Layer[] = [];
let drawn = 0;

/** Single keys rest while somebody types. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.matches("input:not([type=range]), textarea, select")
  );
}

function nameOf({ key, altKey, ctrlKey, metaKey }: KeyboardEvent): string {
  if (metaKey) return "";
  return `${ctrlKey ? "ctrl+" : ""}${altKey ? "alt+" : ""}${key}`;
}

/** A key that is held down goes on moving; whatever else a key does, it does once. */
const GOES_ON = /^(?:[jk[\]]|(?:alt\+)?Arrow\w+)$/;

addEventListener("keydown", (event) => {
  const name = nameOf(event);
  if (isTyping(event.target) && name !== "Escape") return;
  // A button that has the focus is pressed with these, whatever else they do.
  const onButton = event.target instanceof Element && event.target.closest("button, a, summary");
  if (onButton && (name === "Enter" || name === " ")) return;
  for (const { keys } of layers.toReversed()) {
    const act = keys[name];
    if (!act) continue;
    event.preventDefault();
    if (!event.repeat || GOES_ON.test(name)) act(event);
    return;
  }
});

/**
 * What keys do while a part of the page is there; the innermost is asked first.
 * Set before the part is painted and gone with it: a key pressed right after is never lost.
 */
export function useKeys(keys: Keys): void {
  const [layer] = useState<Layer>(() => ({ keys, order: ++drawn }));
  layer.keys = keys;
  useLayoutEffect(() => {
    layers.push(layer);
    layers.sort((a, b) => a.order - b.order);
    return () => void layers.splice(layers.indexOf(layer), 1);
  }, [layer]);
}
