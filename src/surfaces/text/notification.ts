import { cutGraphemes, terminalLine } from "../../core/text/escape.ts";
import type { Notification, NotificationKind } from "../../core/views/notification.ts";
import { agentLook } from "./agents.ts";

/** Title and text of a notification, escaped and bounded for any target. */
export interface NotificationText {
  readonly title: string;
  readonly text: string;
}

const PREFIXES: Readonly<Record<NotificationKind, string>> = {
  "needs you": "Needs you",
  finished: "Finished",
  stalled: "Stalled",
  looping: "Looping",
};

/**
 * Returns a function that gives the time of this call by the current wall clock. If the wall clock is set
 * back later, the result moves back with it, so that later events do not look older.
 */
export function startTime(): () => number {
  const wall = Date.now();
  const started = performance.now();
  // The monotonic clock stops while the machine sleeps.
  return () => Math.min(wall, Date.now() - (performance.now() - started));
}

const MAX_TITLE = 90;
const MAX_TEXT = 240;

export function notificationText({
  kind,
  title,
  project,
  agentType,
  fact,
}: Notification): NotificationText {
  const who = agentLook(agentType).name || "Waymark";
  const where = project === "" ? who : `${who} in ${project}`;
  return {
    title: bounded(`${PREFIXES[kind]}: ${title}`, MAX_TITLE),
    text: bounded(`${where}: ${fact}`, MAX_TEXT),
  };
}

/** Cut before escaping, which is slow for very long texts. */
function bounded(text: string, max: number): string {
  return cutGraphemes(terminalLine(text.slice(0, max * 8)), max);
}
