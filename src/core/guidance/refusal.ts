import type { RefusedWrite, Rejection } from "../model.ts";
import { oneLine } from "../text/escape.ts";

const MAX_WHY = 400;

/** The reason of a refused write as one bounded line. */
export function refusalWhy(message: string): string {
  return oneLine(message).slice(0, MAX_WHY);
}

/** The reasons of several refusals as one bounded line. */
export function refusalLine(rejected: readonly Rejection[]): string {
  return refusalWhy(rejected.map(({ message }) => message).join(" "));
}

/** What a user reads while the agent's last list write stands refused. */
export function refusedWords({ why, partial }: RefusedWrite): string {
  const what = partial ? "List update partly refused" : "List update refused";
  return why === "" ? `${what}, the list may be out of date` : `${what}: ${why}`;
}
