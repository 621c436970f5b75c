import { join } from "node:path";
import { UsageError } from "../../core/error.ts";
import { ensureDirectory } from "../../engines/storage/files.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";
import { readPrices } from "../../home/prices.ts";
import {
  readLastReport,
  reportDaily,
  saveLastReport,
  type TimeOfDay,
} from "../../servers/report/daily.ts";
import { gatherReport, type ReportSource } from "../../servers/report/gather.ts";
import { deliverReport, parseTarget, type ReportTarget } from "../../servers/report/target.ts";
import type { Call, Options } from "../args/command.ts";

/** For servers that write a report every day. */
export const DAILY_OPTIONS = {
  report: {
    type: "string",
    value: "HH:MM",
    summary: "Write a report every day at this time, see `waymark report`",
  },
  "report-to": {
    type: "string",
    value: "TARGET",
    summary: "Directory, file (.html, .md, .txt, .json) or URL for --report",
    default: "reports in WAYMARK_HOME",
    completions: "files",
  },
} as const satisfies Options;

/** A daily report, as the options describe it. */
export interface DailyReport {
  readonly at: TimeOfDay;
  readonly target: ReportTarget;
}

type DailyCall = Pick<Call<typeof DAILY_OPTIONS>, "values" | "home" | "terminal" | "env">;

/** Undefined without --report. Refuses bad values before the server starts. */
export function dailyReportOf({ values, home }: DailyCall): DailyReport | undefined {
  const { report: time, "report-to": to } = values;
  if (time === undefined) {
    if (to !== undefined) throw new UsageError("--report-to needs --report HH:MM.");
    return undefined;
  }
  const [, hours = "", minutes = ""] = /^(\d{1,2}):(\d{2})$/.exec(time) ?? [];
  const at = { hours: Number(hours), minutes: Number(minutes) };
  if (hours === "" || at.hours > 23 || at.minutes > 59)
    throw new UsageError(`Invalid --report "${time.slice(0, 20)}". Use a time such as 08:00.`);
  if (to === undefined)
    return { at, target: { to: "directory", path: join(home.path, "reports") } };
  const target = parseTarget(to, (message) => {
    throw new UsageError(`--report-to: ${message}`);
  });
  return { at, target };
}

/** Starts the daily report of a server. */
export function startDailyReport(
  { home, terminal, env }: DailyCall,
  { at, target }: DailyReport,
  source: ReportSource & { readonly ready: Promise<void> },
): { stop(): Promise<void> } {
  const ending = new AbortController();
  const prices = readPrices(env);
  if (target.to === "directory") ensureDirectory(target.path);
  const daily = reportDaily({
    at,
    now: Date.now,
    every(milliseconds, callback) {
      const timer = setInterval(callback, milliseconds);
      return () => clearInterval(timer);
    },
    last: () => readLastReport(home.path),
    save: (last) => saveLastReport(home.path, last),
    async run(window, day) {
      await source.ready;
      const now = Date.now();
      const report = await gatherReport(source, { window, now, prices });
      const where = await deliverReport(target, report, { now, day, signal: ending.signal });
      terminal.printError(`Report of ${day}: ${where}`);
    },
    onProblem: (error) =>
      terminal.printError(`waymark: Cannot write the daily report: ${redactedMessage(error)}`),
  });
  return {
    async stop() {
      ending.abort();
      await daily.stop();
    },
  };
}
