/** Restores the focus when the focused element is removed, such as a button whose action was done. */

/** Attributes that identify an item, also after it was drawn again elsewhere. */
const ITEMS = ["data-todo", "data-task", "data-key", "data-filter"] as const;
/** Parts of the page that take the focus if the item is gone. */
const PARTS = "section, aside, dialog, main, .filters";
const TOASTS = ".toasts";

interface Place {
  readonly element: Element;
  /** Selectors of the items around the element, the innermost first. */
  readonly items: readonly string[];
  readonly parts: readonly Element[];
}

function placeOf(element: Element): Place {
  const items: string[] = [];
  const parts: Element[] = [];
  for (let at: Element | null = element; at; at = at.parentElement) {
    for (const name of ITEMS) {
      const value = at.getAttribute(name);
      if (value !== null) items.push(`[${name}="${CSS.escape(value)}"]`);
    }
    if (at.matches(PARTS)) parts.push(at);
  }
  return { element, items, parts };
}

export function keepFocus(root: HTMLElement): void {
  let last: Place | undefined;
  /** The last place outside of toasts, which come and go. */
  let lasting: Place | undefined;
  addEventListener("focusin", ({ target }) => {
    if (!(target instanceof Element)) return;
    last = placeOf(target);
    if (!target.closest(TOASTS)) lasting = last;
  });
  // The browser reports no event when it removes the focused element.
  new MutationObserver(() => {
    if (!last || last.element.isConnected || document.activeElement !== document.body) return;
    const place = last.parts.length === 0 && lasting ? lasting : last;
    last = undefined;
    const target = place.element.isConnected
      ? (place.element as HTMLElement)
      : (itemAt(place) ?? partAt(place));
    target?.focus({ preventScroll: true });
  }).observe(root, { childList: true, subtree: true });
}

function itemAt({ items }: Place): HTMLElement | undefined {
  for (const selector of items) {
    const item = document.querySelector<HTMLElement>(selector);
    const target = item?.matches("[tabindex], button, a") ? item : item?.querySelector("a");
    if (target) return target;
  }
  return undefined;
}

function partAt({ parts }: Place): HTMLElement | undefined {
  const part =
    parts.find((each): each is HTMLElement => each.isConnected) ??
    document.querySelector<HTMLElement>("main") ??
    undefined;
  if (part && !part.hasAttribute("tabindex")) part.tabIndex = -1;
  return part;
}
