import type { Status } from "../../core/model.ts";
import type { StreamItem } from "../../core/stream/events.ts";
import type { Emit } from "../agent.ts";

/** Statuses by the character between the brackets. Every agent uses its own. */
export type Markers = Readonly<Record<string, Status>>;

const ITEM = /^\s*(?:(?:[-*+]|\d+[.)])\s*)?\[(.?)\]\s*(.*)$/su;
const HEADING = /^ {0,3}#{1,6}\s+(.+)$/s;
/** Markers with the same meaning everywhere. */
const PLAIN = new Set([" ", "", "x", "X"]);

/** Reads the items of a Markdown checklist. Headings become phases; other lines are skipped. */
export function checklist(text: string, markers: Markers, emit: Emit): StreamItem[] {
  let phase: string | undefined;
  return text.split(/\r\n|[\n\r]/).flatMap((line, index) => {
    const heading = HEADING.exec(line)?.[1]?.trimEnd();
    phase = heading?.replace(/(?<!#)#+$/, "").trimEnd() || phase;
    const [, marker, rest] = ITEM.exec(line) ?? [];
    const content = rest?.trim();
    if (marker === undefined || content === undefined) return [];
    const status = Object.hasOwn(markers, marker || " ") ? markers[marker || " "] : undefined;
    if (content === "" || status === undefined) {
      const message =
        content === ""
          ? `line ${index + 1} of the list has no text`
          : `line ${index + 1} of the list has the unknown marker [${marker}]`;
      emit({ type: "warning", code: "bad_item", message });
      if (content === "") return [];
    }
    return [
      {
        text: content,
        status: status ?? "pending",
        ...(!PLAIN.has(marker) && { raw: `[${marker}]` }),
        ...(phase !== undefined && { phase }),
      },
    ];
  });
}
