import type { Status } from "../../core/model.ts";
import type { StreamItem } from "../../core/stream/events.ts";
import type { Emit } from "../agent.ts";

/** What an agent means by the character between the brackets: no two agree on all of them. */
export type Markers = Readonly<Record<string, Status>>;

const ITEM = /^\s*(?:[-*+]|\d+[.)])?\s*\[(.?)\]\s*(.*)$/u;
const HEADING = /^ {0,3}#{1,6}\s+(.+?)\s*#*\s*$/;
/** Markers that everybody reads alike. */
const PLAIN = new Set([" ", "", "x", "X"]);

/** The items of a checklist; lines that are none are left out. Headings are phases. */
export function checklist(text: string, markers: Markers, emit: Emit): StreamItem[] {
  let phase: string | undefined;
  return text.split(/\r\n|[\n\r]/).flatMap((line, index) => {
    phase = HEADING.exec(line)?.[1] ?? phase;
    const [, marker, rest] = ITEM.exec(line) ?? [];
    const said = rest?.trim();
    if (marker === undefined || said === undefined) return [];
    const status = Object.hasOwn(markers, marker || " ") ? markers[marker || " "] : undefined;
    if (said === "" || status === undefined) {
      const message =
        said === ""
          ? `line ${index + 1} of the list has no text`
          : `line ${index + 1} of the list has the unknown marker [${marker}]`;
      emit({ type: "warning", code: "bad_item", message });
      if (said === "") return [];
    }
    return [
      {
        text: said,
        status: status ?? "pending",
        ...(!PLAIN.has(marker) && { raw: `[${marker}]` }),
        ...(phase !== undefined && { phase }),
      },
    ];
  });
}
