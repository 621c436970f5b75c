import { isoTime } from "../json.ts";
import { costForm } from "./cost.ts";
import type { Report, ReportEntry, ReportSession, SessionRef } from "./model.ts";

/** The JSON form of a report: times in ISO 8601. */
export function reportForm(report: Report) {
  const { since, until, headline, verdict, summary } = report;
  const entries = (group: readonly ReportEntry[]) => group.map(entryForm);
  return {
    since: isoTime(since),
    until: isoTime(until),
    headline,
    verdict,
    summary,
    finished: entries(report.finished),
    unverified: entries(report.unverified),
    open: entries(report.open),
    stuck: entries(report.stuck),
    needsYou: entries(report.needsYou),
    cancelled: entries(report.cancelled),
    cost: costForm(report.cost),
    costByAgent: report.costByAgent.map(({ agentType, usage }) => ({
      agentType,
      usage: costForm(usage),
    })),
    unpricedModels: report.unpricedModels,
    uncounted: report.uncounted,
    plans: report.plans.map(({ at, ...plan }) => ({ ...plan, at: isoTime(at) })),
    commits: report.commits.map(({ at, todo, directories: _, ...commit }) => ({
      ...commit,
      at: isoTime(at),
      ...(todo && { todo: { ...todo, inferred: true } }),
    })),
    unreadLogs: report.unreadLogs,
    expensive: entries(report.expensive),
    longest: entries(report.longest),
    sessions: report.sessions.map(sessionForm),
  };
}

function entryForm(entry: ReportEntry) {
  const { startedAt, finishedAt, commits, usage, ...rest } = entry;
  return {
    ...rest,
    ...(startedAt !== undefined && { startedAt: isoTime(startedAt) }),
    ...(finishedAt !== undefined && { finishedAt: isoTime(finishedAt) }),
    ...reasonForm(entry),
    ...(usage && { usage: costForm(usage) }),
    ...(commits && {
      commits: commits.map(({ at, ...commit }) => ({ ...commit, at: isoTime(at) })),
    }),
  };
}

function sessionForm(session: ReportSession) {
  const { from, to, check, lastEditAt, usage, ...rest } = session;
  return {
    ...rest,
    from: isoTime(from),
    to: isoTime(to),
    ...(check && { check: { ...check, at: isoTime(check.at) } }),
    ...(lastEditAt !== undefined && { lastEditAt: isoTime(lastEditAt) }),
    ...reasonForm(session),
    usage: costForm(usage),
  };
}

function reasonForm({ stuck, waiting }: SessionRef & Pick<ReportEntry, "stuck" | "waiting">) {
  return {
    ...(stuck && {
      stuck: { ...stuck, ...(stuck.since !== undefined && { since: isoTime(stuck.since) }) },
    }),
    ...(waiting && { waiting: { ...waiting, since: isoTime(waiting.since) } }),
  };
}
