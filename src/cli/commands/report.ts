import { CommandError, UsageError } from "../../core/error.ts";
import { reportForm } from "../../core/views/report/json.ts";
import type { ReportWindow } from "../../core/views/report/model.ts";
import { readPrices } from "../../home/prices.ts";
import { gatherReport } from "../../servers/report/gather.ts";
import type { AnyTrack } from "../../sessions/any-track.ts";
import { matchesName } from "../../sessions/resolve.ts";
import { openSources } from "../../sessions/sources.ts";
import { defineCommand, HOME_OPTION, JSON_OPTION } from "../args/command.ts";
import { EXIT } from "../io/exit.ts";
import { textOptions } from "../io/text-options.ts";
import { namedWindow, sinceEvening, WINDOW_OPTIONS } from "../options/report-window.ts";
import { STORE_OPTION } from "../options/shared-store.ts";

const FORMATS = ["text", "markdown", "html", "json"] as const;
type Format = (typeof FORMATS)[number];

export const report = defineCommand({
  arguments: [],
  options: {
    ...WINDOW_OPTIONS,
    session: {
      type: "string",
      value: "ID",
      summary: "Only this session, from its start if no time is given",
      completions: "sessions",
      perCall: true,
    },
    format: {
      type: "string",
      value: "FORMAT",
      summary: "Format: text, markdown, html or json",
      default: "text",
      completions: FORMATS,
    },
    home: HOME_OPTION,
    ...STORE_OPTION,
    json: JSON_OPTION,
  },
  notes: [
    "Reports what the agents finished with and without proof, what is open, stuck or waits for you, the plans that were decided, commits and cost. The first line is the verdict. Times are local.",
    "Commits are matched to todos by time and files, so they are inferred. `--format html` writes one file without scripts that you can mail.",
  ],
  examples: [
    { command: "waymark report", comment: "Report everything since 18:00 yesterday" },
    { command: "waymark report --last 12h --json", comment: "Print the last 12 hours as JSON" },
    {
      command: "waymark report --since 22:00 --format html > report.html",
      comment: "Write a page that you can mail",
    },
  ],
  seeAlso: ["ls", "history", "serve"],
  async run(call) {
    const { values, terminal } = call;
    const format = formatOf(values.format, values.json ?? false);
    const now = Date.now();
    const named = namedWindow(values, now);
    const sources = openSources(call, { userHome: values.home, store: values.store });
    const hosted = (await sources.hosted?.list()) ?? [];
    const tracks = sources.merge(
      hosted,
      await sources.transcripts.list(),
      (await sources.remote?.list()) ?? [],
      now,
    );
    const session = values.session === undefined ? undefined : sessionNamed(tracks, values.session);
    const window =
      named ?? (session === undefined ? sinceEvening(now) : wholeSession(tracks, session, now));
    const progress = terminal.progress("Reading sessions in full");
    const found = await gatherReport(
      { tracks: () => tracks, read: sources.read },
      { window, now, session, prices: readPrices(call.env), onProgress: progress.update },
    );
    progress.end();
    switch (format) {
      case "json":
        terminal.printJson(reportForm(found));
        break;
      case "text": {
        const { renderReportText } = await import("../../surfaces/report/text.ts");
        terminal.print(renderReportText(found, textOptions(terminal, now)));
        break;
      }
      case "markdown": {
        const { renderReportMarkdown } = await import("../../surfaces/report/markdown.ts");
        terminal.print(renderReportMarkdown(found, { now }));
        break;
      }
      case "html": {
        const { renderReportHtml } = await import("../../surfaces/report/html.ts");
        terminal.print(renderReportHtml(found, { now }));
        break;
      }
    }
    return EXIT.success;
  },
});

function formatOf(given: string | undefined, isJson: boolean): Format {
  const format = FORMATS.find((each) => each === (given ?? (isJson ? "json" : "text")));
  if (format === undefined)
    throw new UsageError(
      `Invalid --format "${(given ?? "").slice(0, 40)}". Use ${FORMATS.slice(0, -1).join(", ")} or ${FORMATS.at(-1)}.`,
    );
  if (isJson && format !== "json")
    throw new UsageError(`--json prints JSON. Leave out --format ${format}, or leave out --json.`);
  return format;
}

/** The session with this name, or the only one whose generated id begins with it. */
function sessionNamed(tracks: readonly AnyTrack[], given: string): string {
  const names = new Set(tracks.map(({ track }) => track.session));
  const fitting = names.has(given)
    ? [given]
    : [...names].filter((name) => matchesName(name, given));
  const [only, ...others] = fitting;
  if (only === undefined)
    throw new CommandError(`No session matches "${given}". \`waymark ls --all\` lists them.`);
  if (others.length > 0)
    throw new CommandError(
      `"${given}" matches ${fitting.length} sessions. Use more characters of the id.`,
    );
  return only;
}

/** From the start of the session to now. */
function wholeSession(tracks: readonly AnyTrack[], session: string, now: number): ReportWindow {
  const starts = tracks.flatMap(({ track }) =>
    track.session === session && track.openedAt > 0 ? [track.openedAt] : [],
  );
  return { since: Math.min(now, ...starts), until: now };
}
