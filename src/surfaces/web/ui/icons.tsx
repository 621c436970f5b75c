import type { ComponentChild } from "preact";

const RING = <circle cx="8" cy="8" r="6.25" fill="none" stroke="currentColor" stroke-width="1.5" />;
const line = (d: string, width = 1.5) => (
  <path
    d={d}
    fill="none"
    stroke="currentColor"
    stroke-width={width}
    stroke-linecap="round"
    stroke-linejoin="round"
  />
);

const DISC = (
  <>
    <circle cx="8" cy="8" r="6.75" fill="currentColor" />
    <g class="on-solid">{line("M4.9 8.2l2.2 2.2 4-4.4", 1.75)}</g>
  </>
);

/** Inline SVG, so that no file is fetched. */
const ICONS = {
  pending: RING,
  active: (
    <>
      <g opacity=".3">{RING}</g>
      {line("M8 1.75A6.25 6.25 0 0 1 14.25 8", 1.75)}
      <circle cx="8" cy="8" r="2.25" fill="currentColor" />
    </>
  ),
  done: (
    <>
      {RING}
      {line("M5.2 8.3l1.9 1.9 3.7-4.1")}
    </>
  ),
  unverified: line("M13.9 6A6.25 6.25 0 1 1 10.9 2.5M5.4 8l2.1 2.1L14 3.4", 1.3),
  reported: (
    <>
      {RING}
      {line("M5.2 8.2l2 2 3.7-4")}
    </>
  ),
  verified: DISC,
  reproduced: (
    <>
      <circle cx="8" cy="8" r="9.1" fill="none" stroke="currentColor" stroke-width="1.6" />
      {DISC}
    </>
  ),
  stale: (
    <>
      {line("M13.9 6.1A6.25 6.25 0 1 1 9.9 2.05M5.2 8.4l2 2 3.4-3.8")}
      <circle cx="13" cy="3" r="2.4" fill="currentColor" />
    </>
  ),
  warned: (
    <>
      {line("M8 2.2 14.4 13.4H1.6Z")}
      {line("M8 6.4v3.2", 1.6)}
      <circle cx="8" cy="11.4" r=".9" fill="currentColor" />
    </>
  ),
  cancelled: (
    <>
      {RING}
      {line("M5.2 8h5.6")}
    </>
  ),
  blocked: (
    <>
      {RING}
      {line("M8 4.8v3.9", 1.6)}
      <circle cx="8" cy="11" r=".95" fill="currentColor" />
    </>
  ),
  stalled: (
    <circle
      cx="8"
      cy="8"
      r="6.25"
      fill="none"
      stroke="currentColor"
      stroke-width="1.75"
      stroke-dasharray="1.6 3.3"
      stroke-linecap="round"
    />
  ),
  looping: line("M13.2 8a5.2 5.2 0 1 1-1.6-3.7M13.4 1.8v3h-3", 1.6),
  you: <path d="M8 1.8 14.2 8 8 14.2 1.8 8Z" fill="currentColor" />,
  idle: <circle cx="8" cy="8" r="2" fill="currentColor" />,
  failed: line("M4 4l8 8M12 4l-8 8", 1.7),
  find: (
    <>
      <circle cx="7" cy="7" r="4.5" fill="none" stroke="currentColor" stroke-width="1.5" />
      {line("M10.5 10.5l3 3")}
    </>
  ),
  theme: (
    <>
      <circle cx="8" cy="8" r="5.75" fill="none" stroke="currentColor" stroke-width="1.5" />
      <path d="M8 2.25a5.75 5.75 0 0 1 0 11.5Z" fill="currentColor" />
    </>
  ),
  grip: (
    <g fill="currentColor">
      {[4, 8, 12].flatMap((y) =>
        [6, 10].map((x) => <circle key={`${x} ${y}`} cx={x} cy={y} r="1.1" />),
      )}
    </g>
  ),
  bell: line("M4.2 11h7.6l-1-1.6V7a2.8 2.8 0 0 0-5.6 0v2.4zM6.9 13.3a1.2 1.2 0 0 0 2.2 0"),
  "bell-on": (
    <>
      <path d="M4.2 11h7.6l-1-1.6V7a2.8 2.8 0 0 0-5.6 0v2.4z" fill="currentColor" />
      {line("M4.2 11h7.6l-1-1.6V7a2.8 2.8 0 0 0-5.6 0v2.4zM6.9 13.3a1.2 1.2 0 0 0 2.2 0")}
    </>
  ),
  play: <path d="M5 3.2v9.6l7.6-4.8Z" fill="currentColor" />,
  on: (
    <>
      {RING}
      <circle cx="8" cy="8" r="3.2" fill="currentColor" />
    </>
  ),
  copy: (
    <>
      <rect x="5.5" y="5.5" width="7.5" height="8" rx="1.5" fill="none" stroke="currentColor" />
      {line("M10.5 3.2H4.6A1.6 1.6 0 0 0 3 4.8v6", 1.2)}
    </>
  ),
  file: line("M4 1.8h5l3.2 3.2v9.2H4ZM9 1.8V5h3.2", 1.2),
  plus: line("M8 3.5v9M3.5 8h9"),
} satisfies Record<string, ComponentChild>;

export type IconName = keyof typeof ICONS;

/** An icon. Decorative beside text; set `label` if it stands alone. */
export function Icon({ name, label }: { readonly name: IconName; readonly label?: string }) {
  const names =
    label === undefined ? { "aria-hidden": true } : { role: "img" as const, "aria-label": label };
  return (
    <svg
      class={`icon i-${name}`}
      viewBox={name === "reproduced" ? "-2 -2 20 20" : "0 0 16 16"}
      {...names}
    >
      {ICONS[name]}
    </svg>
  );
}

export function Logo() {
  return (
    <svg class="brand-mark" viewBox="0 0 18 18" aria-hidden="true">
      <rect x="3" y="1" width="5" height="16" rx="1.5" fill="currentColor" />
      <rect x="10" y="1" width="5" height="9" rx="1.5" fill="currentColor" opacity=".55" />
    </svg>
  );
}
