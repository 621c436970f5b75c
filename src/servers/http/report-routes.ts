import { createHash, randomBytes } from "node:crypto";
import type { Prices } from "../../core/cost/price.ts";
import { DAY, MINUTE } from "../../core/text/duration.ts";
import { awayOf } from "../../core/views/report/away.ts";
import { reportForm } from "../../core/views/report/json.ts";
import type { Report } from "../../core/views/report/model.ts";
import type { AwayResponse, ReportLinkResponse } from "../../core/wire.ts";
import { renderReportHtml } from "../../surfaces/report/html.ts";
import { reportStyle } from "../../surfaces/report/style.ts";
import { gatherReport, type ReportSource } from "../report/gather.ts";
import { badInput, HttpError, type Route, sendJson, sendText } from "./routes.ts";

/** Allows the styles of the report and nothing else. */
function policy(): string {
  const hash = createHash("sha256").update(reportStyle()).digest("base64");
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox`;
}

const TICKET_LIFE = 10 * MINUTE;
const MAX_TICKETS = 32;
/** Reading more takes too long for a page. */
const MAX_WINDOW = 31 * DAY;

interface ReportRoutes {
  readonly routes: readonly Route[];
  readonly publicRoutes: readonly Route[];
}

/**
 * The report for the page. A browser sends no token when it opens a URL, so the page asks for a ticket: a path of the
 * report that is valid for ten minutes.
 */
export function reportRoutes(source: ReportSource, prices: Prices): ReportRoutes {
  const tickets = new Map<string, { readonly since: number; readonly expires: number }>();
  const running = new Map<number, Promise<Report>>();
  /** Requests for the same window share one reading. */
  const reportSince = (since: number): Promise<Report> => {
    const known = running.get(since);
    if (known) return known;
    const now = Date.now();
    const report = gatherReport(source, { window: { since, until: now }, now, prices }).finally(
      () => running.delete(since),
    );
    running.set(since, report);
    return report;
  };
  const routes: readonly Route[] = [
    {
      method: "GET",
      path: "/api/report",
      async handle({ response, url }) {
        sendJson(response, 200, reportForm(await reportSince(sinceOf(url))));
      },
    },
    {
      method: "GET",
      path: "/api/away",
      async handle({ response, url }) {
        const report = await reportSince(sinceOf(url));
        sendJson(response, 200, {
          ...awayOf(report),
          headline: report.headline,
        } satisfies AwayResponse);
      },
    },
    {
      method: "POST",
      path: "/api/report/link",
      handle({ response, url }) {
        const since = sinceOf(url);
        const now = Date.now();
        for (const [ticket, { expires }] of tickets)
          if (expires < now || tickets.size >= MAX_TICKETS) tickets.delete(ticket);
        const ticket = randomBytes(24).toString("base64url");
        tickets.set(ticket, { since, expires: now + TICKET_LIFE });
        sendJson(response, 200, { path: `/report?ticket=${ticket}` } satisfies ReportLinkResponse);
      },
    },
  ];
  const page: Route = {
    method: "GET",
    path: "/report",
    async handle({ response, url }) {
      const ticket = tickets.get(url.searchParams.get("ticket") ?? "");
      if (!ticket || ticket.expires < Date.now())
        throw new HttpError(
          404,
          "not_found",
          "This report has expired. Open it from the page again.",
        );
      const report = await reportSince(ticket.since);
      response.setHeader("content-security-policy", policy());
      sendText(response, 200, "text/html", renderReportHtml(report, { now: Date.now() }));
    },
  };
  return { routes, publicRoutes: [page] };
}

/** The parameter `since` in milliseconds (default: a day ago). */
function sinceOf(url: URL): number {
  const given = url.searchParams.get("since");
  const now = Date.now();
  if (given === null) return now - DAY;
  const since = Number(given);
  if (!/^\d{1,16}$/.test(given) || since > now)
    throw badInput("`since` must be milliseconds since 1970, not in the future.");
  return Math.max(since, now - MAX_WINDOW);
}
