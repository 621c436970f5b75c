import type { Track } from "../model.ts";
import { queuedMessage } from "../stalls/stall.ts";
import { formatDuration, HOUR } from "../text/duration.ts";
import { line, type ModelText, modelText, quote } from "../text/model-text.ts";
import { WHY } from "./reminder-texts.ts";

/** The parts of the message to an agent that stalled. */
export interface StallMessage {
  readonly why: ModelText;
  /** The call that was running. */
  readonly inside: readonly ModelText[];
  /** The key of the stall, about which one message is sent. */
  readonly about: readonly string[];
}

const MAX_INSIDE = 160;

/** The message that waits for the agent. It is about the recent past: after an hour it is no longer sent. */
export function stallMessage(
  { stalls }: Pick<Track, "stalls">,
  now: number | undefined,
): StallMessage | undefined {
  const stall = queuedMessage(stalls);
  if (!stall) return undefined;
  const { key, since, inside, silentSince = since } = stall;
  const until = now ?? since;
  if (until - since > HOUR) return undefined;
  return {
    why: WHY.stalled(line(formatDuration(Math.max(0, until - silentSince)))),
    inside:
      inside === undefined ? [] : [modelText`This call was running: ${quote(inside, MAX_INSIDE)}`],
    about: [key],
  };
}
