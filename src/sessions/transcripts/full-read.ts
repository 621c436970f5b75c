import type { Decoder } from "../../agents/agent.ts";
import { observationOf } from "../../core/activity/observation.ts";
import { createFileEdits, type FileEdits, NO_EDITS } from "../../core/files/file-edits.ts";
import { refusalReason } from "../../core/guidance/refusal.ts";
import type { Event, TrackId } from "../../core/model.ts";
import { planChangeOf } from "../../core/plan/plan.ts";
import { type PlanRevision, revisionsAfter } from "../../core/plan/revisions.ts";
import type { WarningCode } from "../../core/stream/events.ts";
import type { LiveTrack } from "../../core/stream/fold.ts";
import { trackKey } from "../../core/text/ids.ts";
import { type ActivityTimeline, createTimeline } from "../../core/views/activity-timeline.ts";
import { type Remark, refusalRemark } from "../../core/views/history.ts";
import type { Driver } from "../../engines/sqlite/driver.ts";
import type { Unit } from "./catalog.ts";
import type { FoundSource } from "./discover.ts";
import type { ReadOptions } from "./fold.ts";
import { readUnit } from "./read-units.ts";

/** A record that could not be decoded, or a list write that the agent refused. */
export interface TranscriptFault extends TrackId {
  readonly code: WarningCode;
  readonly message: string;
  readonly path: string;
  /** Line number, or the number of the record in a database. */
  readonly line?: number;
}

/** The result of reading every line of a unit from the beginning, not only those that can change a list. */
export interface UnitRead {
  live(id: TrackId): LiveTrack | undefined;
  /** The events of the list, oldest first. */
  changes(id: TrackId): readonly Event[];
  /** List writes that the agent's program refused, oldest first. */
  refusals(id: TrackId): readonly Remark[];
  /** The revisions of the agent's last plan, oldest first. */
  revisions(id: TrackId): readonly PlanRevision[];
  /** The agent's other activity. */
  timeline(id: TrackId): ActivityTimeline;
  edits(id: TrackId): FileEdits;
  /** The first 1,000 faults. */
  readonly faults: readonly TranscriptFault[];
  /** Number of faults by code. */
  readonly counts: Readonly<Partial<Record<WarningCode, number>>>;
}

const MAX_FAULTS = 1_000;

type OnEvent = NonNullable<ReadOptions["onEvent"]>;

export function readUnitInFull(unit: Unit, dialect: Decoder, driver: Driver | undefined): UnitRead {
  const changes = new Map<string, Event[]>();
  const refusals = new Map<string, Remark[]>();
  const timelines = new Map<string, ReturnType<typeof createTimeline>>();
  const edited = new Map<string, ReturnType<typeof createFileEdits>>();
  const revisions = new Map<string, readonly PlanRevision[]>();
  const faults: TranscriptFault[] = [];
  const counts: Partial<Record<WarningCode, number>> = {};
  const noteChange: OnEvent = (event, { session, agent, track }, change) => {
    if (event.type === "usage") return;
    const key = trackKey({ session, agent });
    const timeline = timelines.get(key) ?? createTimeline();
    timelines.set(key, timeline);
    const edits = edited.get(key) ?? createFileEdits(track.cwd);
    edited.set(key, edits);
    const seen = observationOf(event, event.timestamp, { isCheck: timeline.isCheck });
    timeline.add(seen);
    edits.add(seen);
    if (
      event.type === "plan.delta" ||
      event.type === "plan.proposed" ||
      event.type === "plan.decided"
    ) {
      const at = { at: event.timestamp, by: "system" as const };
      revisions.set(key, revisionsAfter(revisions.get(key) ?? [], planChangeOf(event), at));
    }
    if (event.type === "warning" && event.code === "list_rejected") {
      const seq = changes.get(key)?.at(-1)?.seq ?? 0;
      const via = event.agentType;
      const row = refusalRemark({ at: event.timestamp, via, seq }, refusalReason(event.message));
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
    // Read one by one as well, to know which file is damaged.
    for (const file of unit)
      readUnit([file], undefined, dialect, { driver, onEvent: noteFault(file) });
  const fault = others.length > 0 ? undefined : noteFault(source);
  const entry = readUnit(unit, undefined, dialect, {
    driver,
    whole: true,
    history: true,
    onEvent: (...args) => {
      noteChange(...args);
      fault?.(...args);
    },
  });
  return {
    live: (id) => entry?.lives[trackKey(id)],
    changes: (id) => changes.get(trackKey(id)) ?? [],
    revisions: (id) => revisions.get(trackKey(id)) ?? [],
    refusals: (id) => refusals.get(trackKey(id)) ?? [],
    timeline: (id) => (timelines.get(trackKey(id)) ?? createTimeline()).timeline(),
    edits: (id) => edited.get(trackKey(id))?.edits() ?? NO_EDITS,
    faults,
    counts,
  };
}
