import { dirname, extname, join, resolve } from "node:path";
import { redactUrl } from "../../core/text/redact.ts";
import { isoTime } from "../../core/views/json.ts";
import { reportForm } from "../../core/views/report/json.ts";
import type { Report } from "../../core/views/report/model.ts";
import { ensureDirectory, replaceFile } from "../../engines/storage/files.ts";
import { isDirectory } from "../../home/is-directory.ts";
import { renderReportHtml } from "../../surfaces/report/html.ts";
import { renderReportMarkdown } from "../../surfaces/report/markdown.ts";
import { renderReportText } from "../../surfaces/report/text.ts";
import type { DeliveryOptions } from "../notify/delivery.ts";
import { postToWebhook } from "../notify/post.ts";

/** Where a daily report goes: a new file per day in a directory, one file that is replaced, or a webhook. */
export type ReportTarget =
  | { readonly to: "directory"; readonly path: string }
  | { readonly to: "file"; readonly path: string }
  | { readonly to: "webhook"; readonly url: string };

/** Parses a URL, a directory, or a file whose extension is its format. */
export function parseTarget(given: string, refuse: (message: string) => never): ReportTarget {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(given)) {
    const url = URL.canParse(given) ? new URL(given) : undefined;
    if (url?.protocol !== "http:" && url?.protocol !== "https:")
      return refuse(
        `Invalid URL "${redactUrl(given).slice(0, 40)}". Use an https:// or http:// URL.`,
      );
    return { to: "webhook", url: url.href };
  }
  const path = resolve(given);
  if (isDirectory(path)) return { to: "directory", path };
  if (!isDirectory(dirname(path)))
    return refuse(`The directory of "${given.slice(0, 60)}" does not exist. Create it first.`);
  if (formatOf(path) === undefined)
    return refuse(
      `Cannot tell the format of "${given.slice(0, 60)}". Use a directory, or a file that ends in .html, .md, .txt or .json.`,
    );
  return { to: "file", path };
}

const FORMATS = { ".html": "html", ".md": "markdown", ".txt": "text", ".json": "json" } as const;
type Format = (typeof FORMATS)[keyof typeof FORMATS];

function formatOf(path: string): Format | undefined {
  const extension = extname(path).toLowerCase();
  return Object.hasOwn(FORMATS, extension) ? FORMATS[extension as keyof typeof FORMATS] : undefined;
}

const WIDTH = 100;

function fileText(report: Report, format: Format, now: number): string {
  switch (format) {
    case "html":
      return renderReportHtml(report, { now });
    case "markdown":
      return `${renderReportMarkdown(report, { now })}\n`;
    case "json":
      return `${JSON.stringify(reportForm(report))}\n`;
    case "text":
      return `${renderReportText(report, { now, width: WIDTH, color: false, unicode: true })}\n`;
  }
}

/** Delivers a report and returns where it is. `day` names the day that it is for. */
export async function deliverReport(
  target: ReportTarget,
  report: Report,
  {
    now,
    day,
    signal,
    ...delivery
  }: DeliveryOptions & {
    readonly now: number;
    readonly day: string;
    readonly signal: AbortSignal;
  },
): Promise<string> {
  switch (target.to) {
    case "webhook": {
      const { headline: title, summary: text } = report;
      const body = JSON.stringify({
        title,
        text,
        kind: "report",
        at: isoTime(now),
        report: reportForm(report),
      });
      await postToWebhook(target.url, `report ${day}`, body, delivery, signal);
      return redactUrl(target.url);
    }
    case "directory": {
      const path = join(target.path, `waymark-${day}.html`);
      ensureDirectory(target.path);
      replaceFile(path, fileText(report, "html", now));
      return path;
    }
    case "file":
      replaceFile(target.path, fileText(report, formatOf(target.path) ?? "html", now));
      return target.path;
  }
}

/** `2026-11-18`, in local time. */
export function dayOf(at: number): string {
  const date = new Date(at);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
