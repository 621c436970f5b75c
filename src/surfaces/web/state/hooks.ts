import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { notOnNextFrame, onNextFrame } from "../ui/frame.ts";
import type { PageStore, State } from "./store.ts";

/** The state of the store; rerenders when it changes. */
export function useStore(store: PageStore): State {
  const [state, setState] = useState(store.get());
  useLayoutEffect(() => {
    setState(store.get());
    return store.subscribe(() => setState(store.get()));
  }, [store]);
  return state;
}

/** The current time, updated every second while `passes`; constant once the recording is over. */
export function useNow(passes: boolean, stoppedAt?: number): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    setNow(Date.now());
    if (!passes || stoppedAt !== undefined) return undefined;
    const tick = () => setNow(Date.now());
    const timer = setInterval(() => onNextFrame(tick), 1_000);
    return () => {
      clearInterval(timer);
      notOnNextFrame(tick);
    };
  }, [passes, stoppedAt]);
  return stoppedAt ?? (passes ? now : Date.now());
}

/** Ignores calls while the previous one is in progress, e.g. repeated Enter. */
export function useSingleFlight<Given extends readonly unknown[]>(
  send: (...given: Given) => Promise<void>,
): (...given: Given) => Promise<void> {
  const isBusy = useRef(false);
  return async (...given) => {
    if (isBusy.current) return;
    isBusy.current = true;
    try {
      await send(...given);
    } finally {
      isBusy.current = false;
    }
  };
}

/** Whether the component is still mounted when a response arrives. */
export function useIsMounted(): () => boolean {
  const isMounted = useRef(true);
  useLayoutEffect(
    () => () => {
      isMounted.current = false;
    },
    [],
  );
  return () => isMounted.current;
}

/** Calls `show` once it is ready, and whenever the hash of the address changes. */
export function useHash(show: () => void, isReady: boolean): void {
  const latest = useRef(show);
  latest.current = show;
  useEffect(() => {
    if (!isReady) return undefined;
    const act = () => latest.current();
    act();
    addEventListener("hashchange", act);
    return () => removeEventListener("hashchange", act);
  }, [isReady]);
}

export type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>;

interface Layer {
  keys: Keys;
  /** Blocks the keys of the layers below. */
  isModal: boolean;
  /** Render order: a component is rendered after the components that contain it. */
  readonly order: number;
}

const layers: Layer[] = [];
let rendered = 0;

/** Single-letter shortcuts are off in these. */
const TEXT_FIELDS = "input:not([type=range]), textarea, select";
/** Escape discards the input of fields in these; in others it only leaves the field. */
const DISCARDING = "[data-form], dialog";
/** Keys that activate the focused element instead of a shortcut. */
const ACTIVATING: Readonly<Record<string, string>> = {
  Enter: "button, summary, a",
  " ": "button, summary",
};
/** Elements that use the arrow keys themselves. */
const ARROW_TARGETS = "input[type=range], .scroll";

/** Whether the focused element handles the key. */
function isTaken(name: string, target: Element): boolean {
  if (target.matches(TEXT_FIELDS)) return name !== "Escape";
  const activating = ACTIVATING[name];
  if (activating !== undefined && target.closest(activating)) return true;
  return name.startsWith("Arrow") && target.closest(ARROW_TARGETS) !== null;
}

function nameOf({ key, altKey, ctrlKey, metaKey }: KeyboardEvent): string {
  if (metaKey) return "";
  return `${ctrlKey ? "ctrl+" : ""}${altKey ? "alt+" : ""}${key}`;
}

/** Keys that repeat while held down; all others act once. */
const REPEATING = /^(?:[jk[\]]|(?:alt\+)?Arrow\w+)$/;

addEventListener("keydown", (event) => {
  const name = nameOf(event);
  const target = event.target instanceof HTMLElement ? event.target : document.body;
  if (event.isComposing || isTaken(name, target)) return;
  if (name === "Escape" && target.matches(TEXT_FIELDS) && !target.closest(DISCARDING)) {
    target.blur();
    return;
  }
  if (holders.size > 0 && HELD.test(name) && !layers.some(({ isModal }) => isModal)) {
    const acts = !event.repeat || REPEATING.test(name);
    if (acts && held.length < MAX_HELD) held.push(event);
    event.preventDefault();
    return;
  }
  if (name === "Escape") held = [];
  dispatch(name, event);
});

function dispatch(name: string, event: KeyboardEvent): void {
  for (const { keys, isModal } of layers.toReversed()) {
    const act = keys[name];
    if (!act && !isModal) continue;
    if (act) event.preventDefault();
    if (!event.repeat || REPEATING.test(name)) act?.(event);
    return;
  }
}

/** Keys that act on rows, which a page that loads does not have yet. */
const HELD = /^(?:[^/?]|Arrow\w+|Enter)$/;
const MAX_HELD = 50;
/** Pages that load. */
const holders = new Set<object>();
let held: KeyboardEvent[] = [];

/** Keeps the keys that are pressed while a page loads, and applies them in order once it is ready. */
export function useHeldKeys(isLoading: boolean): void {
  useLayoutEffect(() => {
    if (!isLoading) return undefined;
    const holder = {};
    holders.add(holder);
    return () => {
      holders.delete(holder);
      if (holders.size > 0) return;
      const keys = held;
      held = [];
      void replay(keys);
    };
  }, [isLoading]);
}

async function replay(events: readonly KeyboardEvent[]): Promise<void> {
  for (const event of events) {
    // The page renders between two keys, as if they were pressed now.
    await new Promise((resolve) => setTimeout(resolve));
    const { activeElement } = document;
    if (activeElement?.matches(TEXT_FIELDS)) typeInto(activeElement, event.key);
    else dispatch(nameOf(event), event);
  }
}

/** Adds a character to a field that an earlier key opened. */
function typeInto(field: Element, key: string): void {
  if (key.length !== 1 || !(field instanceof HTMLInputElement)) return;
  field.setRangeText(key, field.selectionStart ?? 0, field.selectionEnd ?? 0, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/**
 * Registers keyboard shortcuts while the component is mounted; the innermost component handles a key first.
 * Registered in a layout effect, before the component is painted, so that no key is lost.
 */
export function useKeys(keys: Keys, isModal = false): void {
  const [layer] = useState<Layer>(() => ({ keys, isModal, order: ++rendered }));
  layer.keys = keys;
  layer.isModal = isModal;
  useLayoutEffect(() => {
    layers.push(layer);
    layers.sort((a, b) => a.order - b.order);
    return () => void layers.splice(layers.indexOf(layer), 1);
  }, [layer]);
}
