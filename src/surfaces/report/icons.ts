import { type Markup, markup } from "./markup.ts";
import type { RowMark } from "./sections.ts";

type IconName = RowMark | "brand";

const LABELS: Readonly<Record<RowMark, string>> = {
  failed: "Failed",
  looping: "Looping",
  stalled: "Stalled",
  you: "Needs you",
  reproduced: "Reproduced",
  verified: "Verified",
  unverified: "Unverified",
  open: "Open",
};

const TICK = `<path d="m4.9 8.2 2.2 2.2 4-4.4" fill="none" stroke="var(--surface)" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round"/>`;

const SHAPES: Readonly<Record<IconName, string>> = {
  brand: `<rect x="3" y="1" width="4.6" height="14" rx="1.4" fill="currentColor"/><rect x="9" y="1" width="4.6" height="8" rx="1.4" fill="currentColor" opacity=".55"/>`,
  failed: `<path d="m4 4 8 8m0-8-8 8" stroke="currentColor" stroke-width="1.7" stroke-linecap="round"/>`,
  looping: `<path d="M13.2 8A5.2 5.2 0 1 1 11.6 4.3M13.4 1.8v3h-3" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/>`,
  stalled: `<circle cx="8" cy="8" r="5.6" fill="none" stroke="currentColor" stroke-width="1.6" stroke-dasharray="2.2 2.2"/>`,
  you: `<path d="M8 1.8 14.2 8 8 14.2 1.8 8Z" fill="currentColor"/>`,
  reproduced: `<circle cx="8" cy="8" r="9.1" fill="none" stroke="currentColor" stroke-width="1.6"/><circle cx="8" cy="8" r="6.75" fill="currentColor"/>${TICK}`,
  verified: `<circle cx="8" cy="8" r="6.75" fill="currentColor"/>${TICK}`,
  unverified: `<path d="M13.9 6A6.25 6.25 0 1 1 10.9 2.5" fill="none" stroke="currentColor" stroke-width="1.3" stroke-linecap="round"/><path d="m5.4 8 2.1 2.1L14 3.4" fill="none" stroke="currentColor" stroke-width="1.3" stroke-linecap="round" stroke-linejoin="round"/>`,
  open: `<circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="1.3"/><path d="M6.6 5.4 10.4 8l-3.8 2.6Z" fill="currentColor"/>`,
};

/** The shapes of the page: hollow is reported, solid is proven. */
export function icon(name: IconName): Markup {
  const shape: Markup = { html: SHAPES[name] };
  if (name === "brand")
    return markup`<svg width="18" height="18" viewBox="0 0 16 16" aria-hidden="true">${shape}</svg>`;
  const [size, box] = name === "reproduced" ? [20, "-2 -2 20 20"] : [16, "0 0 16 16"];
  return markup`<svg class="m-${name}" width="${size}" height="${size}" viewBox="${box}" role="img" aria-label="${LABELS[name]}">${shape}</svg>`;
}
