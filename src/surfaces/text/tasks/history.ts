import { duration, MINUTE } from "../../../core/text/duration.ts";
import type { TaskEventType } from "../../../tasks/model.ts";
import type { ToldEvent } from "../../../tasks/rules/parked.ts";
import { momentOf } from "../draw/duration.ts";
import type { Page } from "../draw/page.ts";
import { cutLine, type Line, span } from "../draw/spans.ts";
import { padEnd, padStart, widest } from "../draw/width.ts";

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

/**
 * Lines of events, oldest first; the day stands above its events. To be called for one part of a
 * history after the other. Task ids have at least the width of `widestId`.
 */
export function taskHistory(
  page: Page,
  widestId = "",
): (events: readonly ToldEvent[]) => readonly Line[] {
  const holders = new Map<string, string>();
  let day = "";
  let id = widest([widestId]);
  let minute: number | undefined;
  let moment: ReturnType<typeof momentOf>;
  return (events) => {
    const lines: Line[] = [];
    id = Math.max(id, widest(events.map(({ task }) => task)));
    for (const event of events) {
      // Formatting a time is what takes longest, and most events share their minute with the one before.
      if (Math.floor(event.at / MINUTE) !== minute) {
        minute = Math.floor(event.at / MINUTE);
        moment = momentOf(event.at, page.options.timeZone);
      }
      if (moment && moment.day !== day) {
        day = moment.day;
        lines.push([span(day, page.tones.bold)]);
      }
      lines.push(
        lineOf(page, event, { clock: moment?.clock, id, before: holders.get(event.task) }),
      );
      const { owner } = event.set;
      // Whoever reopens what is closed takes its owner away.
      if (owner === null || CLOSING.has(event.type)) holders.delete(event.task);
      else if (owner) holders.set(event.task, owner);
    }
    return lines;
  };
}

const CLOSING: ReadonlySet<TaskEventType> = new Set(["done", "failed", "cancelled"]);

interface Around {
  readonly clock: string | undefined;
  readonly id: number;
  /** The owner until then. */
  readonly before: string | undefined;
}

function lineOf(page: Page, event: ToldEvent, { clock = "", id, before }: Around): Line {
  const { tones, width, marks } = page;
  const line = [
    span(padEnd(clock, 5), tones.dim),
    span(` ${padStart(event.task, id)} `, tones.dim),
    span(sentence(page, event, before)),
    span(`  ${whoOf(page, event)}`, tones.dim),
  ];
  return cutLine(line, width, marks.ellipsis);
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
