import { formatTime, localTime } from "../../../core/text/clock.ts";
import {
  formatDuration,
  formatShortDuration,
  isoDuration,
  MINUTE,
  spellDuration,
} from "../../../core/text/duration.ts";

interface SpokenProps {
  readonly ms: number;
  /** `2m 14s` */
  readonly shown: string;
  /** `2 minutes 14 seconds` */
  readonly spoken: string;
}

/** ARIA forbids a label on `time`, so the text for screen readers is a hidden element. */
function Spoken({ ms, shown, spoken }: SpokenProps) {
  return (
    <time class="num" datetime={isoDuration(ms)}>
      <span aria-hidden="true">{shown}</span>
      <span class="visually-hidden">{spoken}</span>
    </time>
  );
}

/** `2m 14s`. */
export function Duration({ ms }: { readonly ms: number }) {
  return <Spoken ms={ms} shown={formatDuration(ms)} spoken={spellDuration(ms)} />;
}

/** `14.2s`; from a minute on as `Duration`. */
export function Seconds({ ms }: { readonly ms: number }) {
  if (ms >= MINUTE) return <Duration ms={ms} />;
  const seconds = (ms / 1_000).toFixed(1);
  return <Spoken ms={ms} shown={`${seconds}s`} spoken={`${seconds} seconds`} />;
}

/** The largest unit of a duration: `2m`. */
export function ShortDuration({ ms }: { readonly ms: number }) {
  return <Spoken ms={ms} shown={formatShortDuration(ms)} spoken={spellDuration(ms)} />;
}

/** `just now`, `4m ago`. */
export function Ago({ at, now }: { readonly at: number; readonly now: number }) {
  const ms = now - at;
  if (ms < MINUTE) return <>just now</>;
  const [largest = ""] = spellDuration(ms).match(/^\d+ \w+/) ?? [];
  return <Spoken ms={ms} shown={`${formatShortDuration(ms)} ago`} spoken={`${largest} ago`} />;
}

/** `14:12`, or `12 Nov 14:12` if that was not today; nothing for a number that is not a time. */
export function Time({ at }: { readonly at: number }) {
  const text = timeText(at);
  if (text === "") return null;
  return (
    <time class="num" datetime={new Date(at).toISOString()}>
      {text}
    </time>
  );
}

/** The text of `Time`, for attributes and SVG. */
export function timeText(at: number): string {
  return (at > 0 && formatTime(at, Date.now())) || "";
}

/** `14:12`, for axes. */
export function clockText(at: number): string {
  return localTime(at)?.clock ?? "";
}
