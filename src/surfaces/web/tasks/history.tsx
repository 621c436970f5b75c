import { counted } from "../../../core/text/count.ts";
import type { TaskEvent, TaskEventType } from "../../../tasks/model.ts";
import type { TaskDetailAnswer } from "../../../tasks/wire.ts";
import { Text } from "../ui/parts.tsx";
import { upper, when } from "../ui/words.ts";

const WORDS: Readonly<Record<TaskEventType, string>> = {
  added: "added",
  edited: "edited",
  claimed: "claimed",
  renewed: "renewed",
  released: "given back",
  done: "done",
  retried: "failed, to be tried again",
  failed: "failed for good",
  cancelled: "dropped",
  reopened: "reopened",
  assigned: "given",
};

interface Line {
  readonly event: TaskEvent;
  /** How often the same happened in a row: a heartbeat is one line. */
  readonly times: number;
}

/** What happened to a task, the newest first. */
export function History({ detail, now }: { detail: TaskDetailAnswer; now: number }) {
  const lines: Line[] = [];
  for (const event of detail.events) {
    const last = lines.at(-1);
    if (last?.event.type === "renewed" && event.type === "renewed")
      lines[lines.length - 1] = { event, times: last.times + 1 };
    else lines.push({ event, times: 1 });
  }
  return (
    <section class="card" aria-labelledby="history-title">
      <header>
        <h2 id="history-title">History</h2>
      </header>
      <ol class="story">
        {lines.toReversed().map(({ event, times }) => (
          <li key={event.seq}>
            <span class="quiet num">{when(event.at, now)}</span>
            <Text>{`${upper(sentence(event))}${times > 1 ? `, ${times} times` : ""}`}</Text>
            <Text class="quiet">{whoOf(event)}</Text>
          </li>
        ))}
      </ol>
      {detail.left > 0 && (
        <p class="foot-note">{counted(detail.left, "older change")} not shown.</p>
      )}
    </section>
  );
}

function whoOf({ by, via, actor }: TaskEvent): string {
  const who = actor ?? (by === "user" ? "you" : by);
  return via === "web" ? who : `${who}, ${via}`;
}

function sentence({ type, set }: TaskEvent): string {
  const words = WORDS[type];
  switch (type) {
    case "claimed":
      return `${words} by ${set.owner ?? ""}`;
    case "assigned":
      return `${words} to ${set.owner ?? ""}`;
    case "edited":
      return `${words}: ${Object.entries(set).map(fieldWords).join(", ")}`;
    case "done":
      return set.evidence?.[0] ? `${words}: ${set.evidence[0]}` : words;
    default:
      return set.reason ? `${words}: ${set.reason}` : words;
  }
}

function fieldWords([name, value]: readonly [string, unknown]): string {
  if (name === "priority") return `priority ${String(value)}`;
  if (name === "blockedBy" && Array.isArray(value))
    return value.length > 0 ? `waits for ${value.join(", ")}` : "waits for nothing";
  return name;
}
