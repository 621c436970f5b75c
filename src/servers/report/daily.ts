import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DAY, MINUTE } from "../../core/text/duration.ts";
import type { ReportWindow } from "../../core/views/report/model.ts";
import { replaceWithoutSync } from "../../engines/storage/files.ts";
import { dayOf } from "./target.ts";

/** A time of day. */
export interface TimeOfDay {
  readonly hours: number;
  readonly minutes: number;
}

/** The last daily report: the day it was for, and the end of its window. */
export interface LastReport {
  readonly day: string;
  readonly until: number;
}

export interface DailyOptions {
  readonly at: TimeOfDay;
  now(): number;
  /** Calls back regularly until the returned function is called. After sleep, it calls back late. */
  every(milliseconds: number, callback: () => void): () => void;
  last(): LastReport | undefined;
  save(last: LastReport): void;
  /** Makes and delivers the report. */
  run(window: ReportWindow, day: string): Promise<void>;
  onProblem(error: unknown): void;
}

const CHECK_EVERY = 20_000;
const RETRY_AFTER = 10 * MINUTE;
const MAX_ATTEMPTS = 3;
/** A report covers the time since the last one, but not the holidays. */
const MAX_WINDOW = 7 * DAY;

/**
 * Makes one report per day of the local calendar, at or after a time of day. A report that was due while the
 * machine slept is made when it wakes up on that day; one that was due before the first start is not. Setting the
 * clock back does not repeat a report.
 */
export function reportDaily(options: DailyOptions): { stop(): Promise<void> } {
  const { at, now, every, last, save, run, onProblem } = options;
  const startedAt = now();
  let running: Promise<void> | undefined;
  let failed:
    | { readonly day: string; readonly attempts: number; readonly retryAt: number }
    | undefined;
  const check = (): void => {
    const time = now();
    const due = new Date(time).setHours(at.hours, at.minutes, 0, 0);
    const day = dayOf(time);
    const known = last();
    if (running || time < due || known?.day === day) return;
    if (!known && due < startedAt) return;
    if (failed?.day === day && (failed.attempts >= MAX_ATTEMPTS || time < failed.retryAt)) return;
    running = run(windowTo(time, known), day)
      .then(
        () => {
          failed = undefined;
          save({ day, until: time });
        },
        (error: unknown) => {
          const attempts = failed?.day === day ? failed.attempts + 1 : 1;
          failed = { day, attempts, retryAt: time + RETRY_AFTER };
          onProblem(error);
        },
      )
      // An unwritable home: without a record, another start repeats the report.
      .catch(onProblem)
      .finally(() => {
        running = undefined;
      });
  };
  const stop = every(CHECK_EVERY, check);
  check();
  return {
    async stop() {
      stop();
      await running;
    },
  };
}

/** Since the last report, or a day if there is none of the last week. */
function windowTo(until: number, known: LastReport | undefined): ReportWindow {
  const isUsable = known && known.until < until && until - known.until <= MAX_WINDOW;
  return { since: isUsable ? known.until : until - DAY, until };
}

const FILE = "report.json";

export function readLastReport(home: string): LastReport | undefined {
  try {
    const saved = JSON.parse(readFileSync(join(home, FILE), "utf8")) as Partial<LastReport> | null;
    const { day, until } = saved ?? {};
    return typeof day === "string" && typeof until === "number" ? { day, until } : undefined;
  } catch {
    // Missing or damaged: as if there was none.
    return undefined;
  }
}

export function saveLastReport(home: string, last: LastReport): void {
  replaceWithoutSync(join(home, FILE), `${JSON.stringify(last)}\n`);
}
