import { cutGraphemes, terminalLine } from "../../core/text/escape.ts";
import type { Notification, NotificationKind } from "../../core/views/notification.ts";
import { agentLook } from "./agents.ts";

/** A notification in words that no sink can take for anything but words. */
export interface NotificationText {
  readonly title: string;
  readonly text: string;
}

const HEADS: Readonly<Record<NotificationKind, string>> = {
  "needs you": "Needs you",
  finished: "Finished",
  stalled: "Stalled",
  looping: "Looping",
};

/**
 * The moment of this call, by the clock as it is set whenever it is asked for: what happens after it
 * looks earlier once the clock was set back.
 */
export function fromNowOn(): () => number {
  const wall = Date.now();
  const ran = performance.now();
  // The second clock stands still while the machine sleeps.
  return () => Math.min(wall, Date.now() - (performance.now() - ran));
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
    title: harmless(`${HEADS[kind]}: ${title}`, MAX_TITLE),
    text: harmless(`${where}: ${fact}`, MAX_TEXT),
  };
}

/** Cut first: looking at all of an endless text takes long. */
function harmless(text: string, max: number): string {
  return cutGraphemes(terminalLine(text.slice(0, max * 8)), max);
}
