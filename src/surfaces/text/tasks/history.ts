import type { TaskEventType } from "../../../tasks/model.ts";
import type { ToldEvent } from "../../../tasks/rules/parked.ts";
import { duration, momentOf } from "../duration.ts";
import type { Page } from "../page.ts";
import { cutLine, type Line, span } from "../spans.ts";
import { padEnd, padStart, widest } from "../width.ts";

const WORDS: Readonly<Record<TaskEventType, string>> = {
  added: "added",
  edited: "edited",
  claimed: "claimed",
  renewed: "renewed",
  released: "released",
  done: "done",
  retried: "failed, to be tried again",
  failed: "failed",
  cancelled: "cancelled",
  reopened: "reopened",
  assigned: "given",
};

/** Oldest first; the day stands above its events. */
export function taskHistoryLines(page: Page, events: readonly ToldEvent[]): readonly Line[] {
  const { tones, width, marks } = page;
  const id = widest(events.map(({ task }) => task));
  const holders = new Map<string, string>();
  const lines: Line[] = [];
  let day = "";
  for (const event of events) {
    const moment = momentOf(event.at, page.options.timeZone);
    if (moment && moment.day !== day) {
      day = moment.day;
      lines.push([span(day, tones.bold)]);
    }
    const line = [
      span(padEnd(moment?.clock ?? "", 5), tones.dim),
      span(` ${padStart(event.task, id)} `, tones.dim),
      span(sentence(page, event, holders.get(event.task))),
      span(`  ${whoOf(page, event)}`, tones.dim),
    ];
    lines.push(cutLine(line, width, marks.ellipsis));
    if (event.set.owner) holders.set(event.task, event.set.owner);
    else if (event.set.owner === null) holders.delete(event.task);
  }
  return lines;
}

function whoOf(page: Page, { by, via, actor }: ToldEvent): string {
  const who = by === "user" ? "you" : by;
  return `${page.safe(actor ?? who)} via ${page.safe(via)}`;
}

function sentence(page: Page, event: ToldEvent, before: string | undefined): string {
  const { type, set } = event;
  const words = "derived" in event ? "parked, its lease ran out" : WORDS[type];
  switch (type) {
    case "added":
      return `${words}: ${page.safe(set.subject ?? "")}`;
    case "claimed":
    case "assigned": {
      const taken =
        before === undefined || before === set.owner
          ? ""
          : `, taken over from ${page.safe(before)}`;
      const by = type === "claimed" ? "by" : "to";
      return `${words} ${by} ${page.safe(set.owner ?? "")}, epoch ${set.epoch}${taken}`;
    }
    case "renewed":
      return set.leaseUntil ? `${words} for ${duration(set.leaseUntil - event.at)}` : words;
    case "edited":
      return `${words} ${Object.keys(set).join(", ")}`;
    case "done":
      return set.evidence?.[0] ? `${words}: ${page.safe(set.evidence[0])}` : words;
    default:
      return set.reason ? `${words}: ${page.safe(set.reason)}` : words;
  }
}
