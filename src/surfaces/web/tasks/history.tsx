import { counted } from "../../../core/text/count.ts";
import type { TaskEvent } from "../../../tasks/model.ts";
import { eventVerb } from "../../../tasks/rules/expired.ts";
import type { TaskDetailAnswer } from "../../../tasks/wire.ts";
import { capitalize } from "../ui/capitalize.ts";
import { Text } from "../ui/parts.tsx";
import { Time } from "../ui/time.tsx";

interface Line {
  readonly event: TaskEvent;
  /** Number of consecutive renewals, which are one line. */
  readonly times: number;
}

/** The events of a task, newest first. */
export function History({ detail }: { readonly detail: TaskDetailAnswer }) {
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
      <ol class="events">
        {lines.toReversed().map(({ event, times }) => (
          <li key={event.seq}>
            <span class="quiet">
              <Time at={event.at} />
            </span>
            <Text>{`${capitalize(sentence(event))}${times > 1 ? `, ${times} times` : ""}`}</Text>
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
  const verb = eventVerb(type);
  switch (type) {
    case "claimed":
      return `${verb} by ${set.owner ?? ""}`;
    case "assigned":
      return `${verb} to ${set.owner ?? ""}`;
    case "edited":
      return `${verb}: ${Object.entries(set).map(fieldLabel).join(", ")}`;
    case "done":
      return set.evidence?.[0] ? `${verb}: ${set.evidence[0]}` : verb;
    default:
      return set.reason ? `${verb}: ${set.reason}` : verb;
  }
}

function fieldLabel([name, value]: readonly [string, unknown]): string {
  if (name === "priority") return `priority ${String(value)}`;
  if (name === "blockedBy" && Array.isArray(value))
    return value.length > 0 ? `blocked by ${value.join(", ")}` : "no blockers";
  return name;
}
