/**
 * servers/pipe: `waymark pipe`. Reads an agent's output stream, shows its list live below the log (`screen`), and
 * prints events as JSON lines on request.
 */

import type { Decoder } from "../../agents/agent.ts";
import { AGENTS } from "../../agents/index.ts";
import type { StallPolicy } from "../../core/activity/stall.ts";
import { type ProofRecord, withProofs } from "../../core/checks/proof.ts";
import type { StreamEvent } from "../../core/stream/events.ts";
import type { LiveTrack } from "../../core/stream/fold.ts";
import { counted } from "../../core/text/count.ts";
import { SECOND } from "../../core/text/duration.ts";
import { forJson } from "../../core/text/escape.ts";
import type { Lifecycle } from "../../core/views/lifecycle.ts";
import { isOpen } from "../../core/views/view.ts";
import { openRegion } from "../../surfaces/terminal/region.ts";
import { renderCompact } from "../../surfaces/text/compact.ts";
import type { Members } from "../../surfaces/text/draw/page.ts";
import { renderList, type TextOptions } from "../../surfaces/text/index.ts";
import { type LogEntry, renderLogEntry } from "../../surfaces/text/log.ts";
import { renderReport, type VerifiedRun } from "../../surfaces/text/report.ts";
import { eventUuid } from "./event-uuid.ts";
import { type Earlier, openIntake } from "./intake.ts";
import { warningText } from "./log-entries.ts";
import { type DrawnList, openPipeScreen } from "./screen.ts";

/** The output for the log and the lists. */
export interface Display {
  readonly write: (text: string) => void;
  /** The size of a terminal that supports redrawing; without it, every change is printed as one line. */
  readonly size?: () => { readonly columns: number; readonly rows: number };
  /** The current text options. */
  readonly text: () => Omit<TextOptions, "now" | "maxRows" | "all">;
}

/** Output formats of other programs, by agent id. */
const ENCODERS = new Map(
  AGENTS.flatMap(({ identity, encode }) => (encode ? [[identity.id, encode] as const] : [])),
);
const OWN_FORMAT = "waymark";

export const PIPE_FORMATS: readonly string[] = [OWN_FORMAT, ...ENCODERS.keys()];

export interface PipeOptions {
  /** The decoder of the stream (default: detected). */
  readonly decoder?: Decoder | undefined;
  readonly now: () => number;
  /** Reads the state of a session from its files, for a stream that resumes it. */
  readonly earlier?: Earlier;
  readonly lifecycle: Lifecycle;
  /** How long an agent may be inactive before it counts as stalled. */
  readonly stall?: StallPolicy;
  /** Receives the input unchanged. */
  readonly tee?: (bytes: Buffer) => void;
  /** Receives events as JSON lines, one or more at a time. */
  readonly json?: (lines: string) => void;
  /** The format of those lines (default: waymark). */
  readonly format?: string;
  /** Names and colors of the stream's agents. */
  readonly members?: Members | undefined;
  /** Seconds until a closed todo leaves the display (default: never). */
  readonly clearDelay?: number | undefined;
  readonly display?: Display;
  /** Receives warnings about unreadable input, if there is no display. */
  readonly warn?: (line: string) => void;
}

export interface PipeEnd {
  readonly decoder: string | undefined;
  /** Whether the input had at least one event. */
  readonly recognized: boolean;
  readonly bytes: number;
  readonly lives: readonly LiveTrack[];
  /** Open todos of all agents. */
  readonly open: number;
  /** How many lines and list entries could not be read. */
  readonly skipped: number;
  /** The lists as Markdown, with the run of a check and its proofs if there was one. */
  report(verified?: VerifiedRun, proofs?: readonly ProofRecord[]): string;
}

/** Processes an agent's stream. It has no I/O or timers of its own: the caller feeds, ticks and ends it. */
export interface Pipe {
  feed(chunk: Buffer): void;
  /** Redraws if something changed; call it a few times a second. */
  tick(): void;
  end(): PipeEnd;
}

const MAX_WARNINGS = 20;
const MAX_QUEUE = 500;
/** Rows per list beside its todos: an empty line, the header and the footer. */
const FRAME_ROWS = 3;
/** Rows for the counts of hidden todos above and below the shown ones. */
const HIDDEN_ROWS = 2;

export function openPipe(options: PipeOptions): Pipe {
  const { now, display, json, tee, warn } = options;
  const screen = openPipeScreen(options.lifecycle, now, options.stall, options);
  const warnings: string[] = [];
  let skipped = 0;
  let unreported = 0;
  let events = 0;
  let bytes = 0;

  const region = display?.size && openRegion({ write: display.write, size: display.size });
  let queue: string[] = [];
  let jsonLines: string[] = [];
  let isDirty = true;
  let drawnAt = 0;

  const log = (lines: readonly string[]): void => {
    if (!display) return;
    queue.push(...lines);
    if (queue.length > MAX_QUEUE) flush();
  };

  const logEntries = (entries: readonly LogEntry[]): void => {
    if (!display || entries.length === 0) return;
    const text = { ...display.text(), now: screen.now(), edge: region !== undefined };
    log(entries.map((entry) => renderLogEntry(entry, text)));
  };

  const listLines = ({ view, note }: DrawnList, maxRows?: number): string[] => {
    if (!display) return [];
    const base = display.text();
    const limit = maxRows === undefined ? { all: true } : { maxRows };
    // Some terminals wrap after a line that fills the last column.
    const width = region ? base.width - 1 : base.width;
    const text = { ...base, ...limit, width, now: screen.now() };
    if (text.style !== "plan") return renderCompact(view, text, note).split("\n");
    return [...renderList(view, text).split("\n"), ...(note ? [note] : [])];
  };

  const frame = (): string[] => {
    const height = (display?.size?.().rows ?? 0) - 1;
    const all = screen.lists;
    const shown = all.slice(-Math.max(1, Math.floor(height / (FRAME_ROWS + HIDDEN_ROWS + 1))));
    const share = Math.floor(height / Math.max(1, shown.length)) - FRAME_ROWS;
    const hidden = all.length - shown.length;
    const lines = shown.flatMap((list) => {
      const fits = list.view.rows.length <= share;
      return ["", ...listLines(list, Math.max(1, fits ? share : share - HIDDEN_ROWS))];
    });
    return hidden > 0 && lines.length < height ? [...lines, counted(hidden, "more list")] : lines;
  };

  const flush = (): void => {
    if (!display) return;
    const lines = queue;
    queue = [];
    if (region) region.draw(lines, frame());
    else if (lines.length > 0) display.write(lines.map((line) => `${line}\n`).join(""));
  };

  const recordWarning = (event: StreamEvent & { readonly type: "warning" }): boolean => {
    if (event.code !== "list_rejected" && event.code !== "list_unknown") skipped++;
    if (warnings.length >= MAX_WARNINGS) {
      unreported++;
      return false;
    }
    warnings.push(warningText(event));
    warn?.(warningText(event));
    return true;
  };

  const take = (event: StreamEvent): void => {
    isDirty = true;
    const isReported = event.type !== "warning" || recordWarning(event);
    if (event.type !== "warning") events++;
    const encode = ENCODERS.get(options.format ?? OWN_FORMAT);
    const printed = encode ? encode(event, eventUuid) : event;
    if (json && printed) jsonLines.push(`${forJson(printed)}\n`);
    const { entries, removed } = screen.apply(event);
    if (isReported) logEntries(entries);
    if (removed.length > 0) log([...removed.flatMap((list) => ["", ...listLines(list)]), ""]);
  };
  /** Writes all lines of a chunk at once: there can be thousands. */
  const writeOut = (): void => {
    if (jsonLines.length > 0) json?.(jsonLines.join(""));
    jsonLines = [];
    if (!region) flush();
  };
  const intake = openIntake({
    decoder: options.decoder,
    now: screen.now,
    each: take,
    earlier: options.earlier,
  });

  return {
    feed(chunk) {
      bytes += chunk.length;
      tee?.(chunk);
      intake.feed(chunk);
      writeOut();
    },
    tick() {
      // Between events only the elapsed seconds of the current todo change.
      if (!display || (!isDirty && now() - drawnAt < SECOND)) return;
      logEntries(screen.newFindings());
      flush();
      isDirty = false;
      drawnAt = now();
    },
    end() {
      const ended = screen.now();
      intake.end();
      skipped += intake.unknown;
      if (unreported > 0) {
        const more = `skipped ${unreported} more`;
        warn?.(more);
        logEntries([{ at: screen.now(), mark: "watch", text: more }]);
      }
      const final = screen.lists.flatMap((list) => ["", ...listLines(list)]);
      if (region) {
        region.draw([...queue, ...final], []);
        queue = [];
      } else log(final);
      writeOut();
      const lives = screen.lives;
      return {
        decoder: intake.decoder?.id,
        recognized: events > 0,
        bytes,
        lives,
        open: lives.flatMap(({ track }) => track.todos).filter(isOpen).length,
        skipped,
        report: (verified, proofs = []) =>
          renderReport({
            lives: lives.map((live) => ({
              ...live,
              track: withProofs(live.track, proofs, live.activity),
            })),
            now: ended,
            skipped,
            warnings,
            verified,
          }),
      };
    },
  };
}
