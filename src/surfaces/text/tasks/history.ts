import { localTime } from "../../../core/text/clock.ts";
import { formatDuration, MINUTE } from "../../../core/text/duration.ts";
import type { TaskEventType } from "../../../tasks/model.ts";
import { eventVerb, type ShownEvent } from "../../../tasks/rules/expired.ts";
import type { Page } from "../draw/page.ts";
import { cutLine, type Line, span } from "../draw/spans.ts";
import { padEnd, padStart, widest } from "../draw/width.ts";

/**
 * Returns a function that formats the next page of events, oldest first, below a line for each day. Task
 * ids are padded to the width of `widestId`.
 */
export function taskHistory(
  page: Page,
  widestId = "",
): (events: readonly ShownEvent[]) => readonly Line[] {
  const owners = new Map<string, string>();
  let day = "";
  let id = widest([widestId]);
  let minute: number | undefined;
  let time: ReturnType<typeof localTime>;
  return (events) => {
    const lines: Line[] = [];
    id = Math.max(id, widest(events.map(({ task }) => task)));
    for (const event of events) {
      // Formatting times is slow, and most events share a minute with the event before.
      if (Math.floor(event.at / MINUTE) !== minute) {
        minute = Math.floor(event.at / MINUTE);
        time = localTime(event.at, page.options.timeZone);
      }
      if (time && time.day !== day) {
        day = time.day;
        lines.push([span(day, page.tones.bold)]);
      }
      lines.push(lineOf(page, event, { clock: time?.clock, id, before: owners.get(event.task) }));
      const { owner } = event.set;
      // A reopened task has no owner.
      if (owner === null || CLOSING.has(event.type)) owners.delete(event.task);
      else if (owner) owners.set(event.task, owner);
    }
    return lines;
  };
}

const CLOSING: ReadonlySet<TaskEventType> = new Set(["done", "failed", "cancelled"]);

interface LineContext {
  readonly clock: string | undefined;
  readonly id: number;
  /** The previous owner. */
  readonly before: string | undefined;
}

function lineOf(page: Page, event: ShownEvent, { clock = "", id, before }: LineContext): Line {
  const { tones, width, marks } = page;
  const line = [
    span(padEnd(clock, 5), tones.dim),
    span(` ${padStart(event.task, id)} `, tones.dim),
    span(sentence(page, event, before)),
    span(`  ${whoOf(page, event)}`, tones.dim),
  ];
  return cutLine(line, width, marks.ellipsis);
}

function whoOf(page: Page, { by, via, actor }: ShownEvent): string {
  const who = by === "user" ? "you" : by;
  return `${page.safe(actor ?? who)} via ${page.safe(via)}`;
}

function sentence(page: Page, event: ShownEvent, before: string | undefined): string {
  const { type, set } = event;
  const verb = "derived" in event ? "failed, lease expired" : eventVerb(type);
  switch (type) {
    case "added":
      return `${verb}: ${page.safe(set.subject ?? "")}`;
    case "claimed":
    case "assigned": {
      const taken =
        before === undefined || before === set.owner ? "" : `, taken from ${page.safe(before)}`;
      const by = type === "claimed" ? "by" : "to";
      return `${verb} ${by} ${page.safe(set.owner ?? "")}, epoch ${set.epoch}${taken}`;
    }
    case "renewed":
      return set.leaseUntil ? `${verb} for ${formatDuration(set.leaseUntil - event.at)}` : verb;
    case "edited":
      return `${verb} ${Object.keys(set).join(", ")}`;
    case "done":
      return set.evidence?.[0] ? `${verb}: ${page.safe(set.evidence[0])}` : verb;
    default:
      return set.reason ? `${verb}: ${page.safe(set.reason)}` : verb;
  }
}
