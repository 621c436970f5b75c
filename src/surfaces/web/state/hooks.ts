import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { PageStore, State } from "./store.ts";

/** The state of the store, drawn anew whenever it changes. */
export function useStore(store: PageStore): State {
  const [state, setState] = useState(store.get());
  useLayoutEffect(() => {
    setState(store.get());
    return store.subscribe(() => setState(store.get()));
  }, [store]);
  return state;
}

/**
 * The time. It passes only while something that is shown depends on it, and stands still when a recording is
 * over.
 */
export function useNow(passes: boolean, stoppedAt?: number): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    setNow(Date.now());
    if (!passes || stoppedAt !== undefined) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [passes, stoppedAt]);
  return stoppedAt ?? (passes ? now : Date.now());
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

/** Whether the part is still drawn: an answer may come later. */
export function useIsThere(): () => boolean {
  const isThere = useRef(true);
  useLayoutEffect(
    () => () => {
      isThere.current = false;
    },
    [],
  );
  return () => isThere.current;
}

export type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>;

interface Layer {
  keys: Keys;
  /** Whatever lies below rests. */
  isModal: boolean;
  /** Drawing goes from the outside in, so that a part comes after what holds it. */
  readonly order: number;
}

const layers: Layer[] = [];
let drawn = 0;

/** Single keys rest while somebody types. */
const TYPED = "input:not([type=range]), textarea, select";
/** What is typed here is given up with Escape; elsewhere it stays. */
const GIVEN_UP = "[data-form], dialog";
/** A button that has the focus is pressed with these, whatever else they do. */
const PRESSED: Readonly<Record<string, string>> = {
  Enter: "button, summary, a",
  " ": "button, summary",
};
/** These are moved along with arrows. */
const MOVED = "input[type=range], .scroll";

/** The key belongs to what has the focus. */
function isTaken(name: string, target: Element): boolean {
  if (target.matches(TYPED)) return name !== "Escape";
  const pressed = PRESSED[name];
  if (pressed !== undefined && target.closest(pressed)) return true;
  return name.startsWith("Arrow") && target.closest(MOVED) !== null;
}

function nameOf({ key, altKey, ctrlKey, metaKey }: KeyboardEvent): string {
  if (metaKey) return "";
  return `${ctrlKey ? "ctrl+" : ""}${altKey ? "alt+" : ""}${key}`;
}

/** A key that is held down goes on moving; whatever else a key does, it does once. */
const GOES_ON = /^(?:[jk[\]]|(?:alt\+)?Arrow\w+)$/;

addEventListener("keydown", (event) => {
  const name = nameOf(event);
  const target = event.target instanceof HTMLElement ? event.target : document.body;
  if (event.isComposing || isTaken(name, target)) return;
  if (name === "Escape" && target.matches(TYPED) && !target.closest(GIVEN_UP)) {
    target.blur();
    return;
  }
  for (const { keys, isModal } of layers.toReversed()) {
    const act = keys[name];
    if (!act && !isModal) continue;
    if (act) event.preventDefault();
    if (!event.repeat || GOES_ON.test(name)) act?.(event);
    return;
  }
});

/**
 * What keys do while a part of the page is there; the innermost is asked first.
 * Set before the part is painted and gone with it: a key pressed right after is never lost.
 */
export function useKeys(keys: Keys, isModal = false): void {
  const [layer] = useState<Layer>(() => ({ keys, isModal, order: ++drawn }));
  layer.keys = keys;
  useLayoutEffect(() => {
    layers.push(layer);
    layers.sort((a, b) => a.order - b.order);
    return () => void layers.splice(layers.indexOf(layer), 1);
  }, [layer]);
}
