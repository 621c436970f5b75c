import type { Page } from "playwright-core";

/** Faults in the layout of the page as it is now. */
export function layoutFaults(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const root = document.documentElement;
    const faults: string[] = [];
    const nameOf = (element: Element): string => {
      const classes = [...element.classList].map((each) => `.${each}`).join("");
      return `${element.localName}${classes} “${(element.textContent ?? "").trim().slice(0, 40)}”`;
    };
    const styles = new Map<Element, CSSStyleDeclaration>();
    const styleOf = (element: Element): CSSStyleDeclaration => {
      const known = styles.get(element) ?? getComputedStyle(element);
      styles.set(element, known);
      return known;
    };
    const above = function* (element: Element | null): Generator<Element> {
      for (let at = element; at && at !== root; at = at.parentElement) yield at;
    };
    const isScroller = (element: Element): boolean =>
      /auto|scroll/.test(`${styleOf(element).overflowX} ${styleOf(element).overflowY}`);
    /** Elements that lie above others on purpose. */
    const isLayer = (element: Element): boolean =>
      /fixed|sticky/.test(styleOf(element).position) ||
      (styleOf(element).position === "absolute" && styleOf(element).zIndex !== "auto");
    const layerOf = (element: Element): Element | undefined =>
      [...above(element)].find((each) => isLayer(each) || each.localName === "dialog");

    if (root.scrollWidth > root.clientWidth)
      faults.push(`sideways scroll: ${root.scrollWidth - root.clientWidth} px`);

    // The tests ask for reduced motion.
    for (const animation of document.getAnimations())
      faults.push(`moves: ${animation instanceof CSSAnimation ? animation.animationName : "?"}`);

    // Text that an element cuts without a sign of it.
    for (const element of document.querySelectorAll("body *")) {
      const style = styleOf(element);
      const { clientWidth, scrollWidth, clientHeight, scrollHeight } = element;
      const isHidden =
        element.closest(".visually-hidden, [hidden], svg, .bar") || clientWidth === 0;
      if (isHidden || !/hidden|clip/.test(`${style.overflowX}${style.overflowY}`)) continue;
      const isMarked = style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
      const isCut =
        (scrollWidth > clientWidth + 1 && style.overflowX !== "auto") ||
        (scrollHeight > clientHeight + 2 && style.overflowY !== "auto");
      if (isCut && !isMarked && element.textContent?.trim() !== "")
        faults.push(`cut: ${nameOf(element)}`);
    }

    // Text on other text, or out of the window.
    const texts: { element: Element; layer: Element | undefined; box: DOMRect }[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const element = node.parentElement;
      if (!element || node.textContent?.trim() === "") continue;
      if (element.closest(".visually-hidden, noscript, option, .bar, .chart, .graph, .timeline"))
        continue;
      if (!element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }))
        continue;
      range.selectNodeContents(node);
      const clips = [...above(element)].filter((each) =>
        /hidden|clip|auto|scroll/.test(styleOf(each).overflowX),
      );
      for (const part of range.getClientRects()) {
        let [left, right, top, bottom] = [part.left, part.right, part.top, part.bottom];
        for (const clip of clips) {
          const frame = clip.getBoundingClientRect();
          [left, right] = [Math.max(left, frame.left), Math.min(right, frame.right)];
          [top, bottom] = [Math.max(top, frame.top), Math.min(bottom, frame.bottom)];
        }
        if (right - left < 2 || bottom - top < 2) continue;
        if (right > root.clientWidth + 1 || left < -1)
          faults.push(`outside of the window: ${nameOf(element)}`);
        const box = new DOMRect(left, top, right - left, bottom - top);
        texts.push({ element, layer: layerOf(element), box });
      }
    }
    for (const [index, one] of texts.entries())
      for (const other of texts.slice(index + 1)) {
        if (one.element === other.element || one.layer !== other.layer) continue;
        const wide =
          Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
        const high =
          Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
        if (wide > 2 && high > 5)
          faults.push(`overlap: ${nameOf(one.element)} and ${nameOf(other.element)}`);
      }

    // Buttons and fields that are too small for their text.
    for (const element of document.querySelectorAll("button, .button, .pill, .tab, h1, h2, h3")) {
      if (!element.checkVisibility() || element.closest(".visually-hidden")) continue;
      if (isScroller(element) || styleOf(element).textOverflow === "ellipsis") continue;
      if (element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
        faults.push(`too narrow: ${nameOf(element)}`);
    }
    return [...new Set(faults)];
  });
}
