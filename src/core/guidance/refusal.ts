import type { RefusedWrite, Rejection } from "../model.ts";
import { oneLine } from "../text/escape.ts";

const MAX_WHY = 400;

/** The reason of a refused write as one line of at most 400 characters. */
export function refusalReason(message: string): string {
  return oneLine(message).slice(0, MAX_WHY);
}

/** The reasons of several refusals as one such line. */
export function refusalReasons(rejected: readonly Rejection[]): string {
  return refusalReason(rejected.map(({ message }) => message).join(" "));
}

/** The text for the user until the agent's next list write is accepted. */
export function refusedLabel({ why, partial }: RefusedWrite): string {
  const what = partial ? "List update partly refused" : "List update refused";
  return why === "" ? `${what}, the list may be out of date` : `${what}: ${why}`;
}
