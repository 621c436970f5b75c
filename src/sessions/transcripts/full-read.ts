import type { Dialect } from "../../agents/agent.ts";
import { observationOf } from "../../core/activity/observation.ts";
import { refusalWhy } from "../../core/guidance/refusal.ts";
import type { Event, TrackId } from "../../core/model.ts";
import type { WarningCode } from "../../core/stream/events.ts";
import type { Live } from "../../core/stream/fold.ts";
import { trackKey } from "../../core/text/ids.ts";
import { newStory, type Story } from "../../core/views/activity-timeline.ts";
import { type Remark, refusalRemark } from "../../core/views/history.ts";
import type { Driver } from "../../engines/sqlite/driver.ts";
import type { FoundSource } from "./discover.ts";
import type { ReadOptions } from "./fold.ts";
import { readUnit } from "./reading.ts";
import type { Unit } from "./roster.ts";

/** Something in a file that could not be understood, or that its agent refused. */
export interface Fault extends TrackId {
  readonly code: WarningCode;
  readonly message: string;
  readonly path: string;
  /** Of a file with lines: which; of a database: which of its records. */
  readonly line?: number;
}

/** What is told when every line is read from the beginning, not only those that can matter. */
export interface CloseReading {
  live(id: TrackId): Live | undefined;
  /** What happened to the list, oldest first. */
  changes(id: TrackId): readonly Event[];
  /** List writes that the agent's program refused, oldest first. */
  refusals(id: TrackId): readonly Remark[];
  /** What the agent did besides. */
  story(id: TrackId): Story;
  /** The first of them. */
  readonly faults: readonly Fault[];
  /** How many of each kind there are. */
  readonly counts: Readonly<Partial<Record<WarningCode, number>>>;
}

const MAX_FAULTS = 1_000;

type OnEvent = NonNullable<ReadOptions["onEvent"]>;

export function readClosely(
  unit: Unit,
  dialect: Dialect,
  driver: Driver | undefined,
): CloseReading {
  const changes = new Map<string, Event[]>();
  const refusals = new Map<string, Remark[]>();
  const stories = new Map<string, ReturnType<typeof newStory>>();
  const faults: Fault[] = [];
  const counts: Partial<Record<WarningCode, number>> = {};
  const noteChange: OnEvent = (event, { session, agent }, change) => {
    const key = trackKey({ session, agent });
    const story = stories.get(key) ?? newStory();
    stories.set(key, story);
    story.note(observationOf(event, event.timestamp, { isCheck: story.isCheck }));
    if (event.type === "warning" && event.code === "list_rejected") {
      const seq = changes.get(key)?.at(-1)?.seq ?? 0;
      const via = event.agentType;
      const row = refusalRemark({ at: event.timestamp, via, seq }, refusalWhy(event.message));
      refusals.set(key, [...(refusals.get(key) ?? []), row].slice(-MAX_FAULTS));
    }
    if (!change) return;
    const known = changes.get(key);
    if (known) known.push(change);
    else changes.set(key, [change]);
  };
  const noteFault =
    ({ path, kind }: FoundSource): OnEvent =>
    (event, { session, agent }) => {
      if (event.type !== "warning") return;
      const { code, message, line } = event;
      counts[code] = (counts[code] ?? 0) + 1;
      if (faults.length >= MAX_FAULTS) return;
      const where = line === undefined || kind === "document" ? {} : { line };
      faults.push({ session, agent, code, message, path, ...where });
    };

  const [source, ...others] = unit;
  if (others.length > 0)
    // Together they make the list; which of them is damaged, each says for itself.
    for (const file of unit)
      readUnit([file], undefined, dialect, { driver, onEvent: noteFault(file) });
  const fault = others.length > 0 ? undefined : noteFault(source);
  const entry = readUnit(unit, undefined, dialect, {
    driver,
    whole: true,
    history: true,
    onEvent: (...heard) => {
      noteChange(...heard);
      fault?.(...heard);
    },
  });
  return {
    live: (id) => entry?.lives[trackKey(id)],
    changes: (id) => changes.get(trackKey(id)) ?? [],
    refusals: (id) => refusals.get(trackKey(id)) ?? [],
    story: (id) => (stories.get(trackKey(id)) ?? newStory()).story(),
    faults,
    counts,
  };
}
