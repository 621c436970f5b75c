import { localTime } from "../../text/clock.ts";
import { DAY, HOUR } from "../../text/duration.ts";
import type { ReportNoun, ReportWindow } from "./model.ts";

/** Whether the window is a night, a day or longer: a night includes 3 o'clock in the morning. */
export function nounOf({ since, until }: ReportWindow, timeZone?: string): ReportNoun {
  if (until - since > 1.5 * DAY) return "time";
  for (let at = since; at <= until; at += HOUR / 4)
    if (localTime(at, timeZone)?.clock.startsWith("03:")) return "night";
  return "day";
}
