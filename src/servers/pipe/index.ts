/**
 * servers/pipe: `waymark pipe`, which reads the output stream of an agent, shows its list live below
 * the output (`screen`), and prints events as JSON lines if asked.
 */

import type { Dialect } from "../../agents/agent.ts";
import { AGENTS } from "../../agents/index.ts";
import type { StallPolicy } from "../../core/activity/stall.ts";
import type { StreamEvent } from "../../core/stream/events.ts";
import type { Live } from "../../core/stream/fold.ts";
import { SECOND } from "../../core/text/duration.ts";
import { forJson } from "../../core/text/escape.ts";
import type { Lifecycle } from "../../core/views/lifecycle.ts";
import { isOpen } from "../../core/views/view.ts";
import { openRegion } from "../../surfaces/terminal/region.ts";
import { renderCompact } from "../../surfaces/text/compact.ts";
import type { Members } from "../../surfaces/text/draw/page.ts";
import { renderList, type TextOptions } from "../../surfaces/text/index.ts";
import { type LogEntry, renderLogEntry } from "../../surfaces/text/log.ts";
import { renderReport } from "../../surfaces/text/report.ts";
import { eventUuid } from "./event-uuid.ts";
import { type Earlier, openIntake } from "./intake.ts";
import { openPipeScreen, type Picture } from "./screen.ts";
import { warningText } from "./tell.ts";

/** Where the display goes. */
export interface Display {
  readonly write: (text: string) => void;
  /** Of a terminal that lines can be drawn in place on; without it every change is one line. */
  readonly size?: () => { readonly columns: number; readonly rows: number };
  /** How text is drawn, as it is now. */
  readonly text: () => Omit<TextOptions, "now" | "maxRows" | "all">;
}

/** Formats of other programs, by the id of the agent. */
const ENCODERS = new Map(
  AGENTS.flatMap(({ identity, encode }) => (encode ? [[identity.id, encode] as const] : [])),
);
const OWN_FORMAT = "waymark";

export const PIPE_FORMATS: readonly string[] = [OWN_FORMAT, ...ENCODERS.keys()];

export interface PipeOptions {
  /** Whose stream it is; found out when left out. */
  readonly dialect?: Dialect | undefined;
  readonly now: () => number;
  /** What the files of a session say, for a stream that goes on with it. */
  readonly earlier?: Earlier;
  readonly lifecycle: Lifecycle;
  /** How long an agent may be silent before it counts as stalled. */
  readonly stall?: StallPolicy;
  /** Gets every byte of the input as it came. */
  readonly tee?: (bytes: Buffer) => void;
  /** Gets every event as one line of JSON, one or more lines at a time. */
  readonly json?: (lines: string) => void;
  /** The form of those lines (default: waymark). */
  readonly format?: string;
  /** Names and colors of the agents of a stream. */
  readonly members?: Members | undefined;
  /** Seconds until a closed todo leaves the display (default: never). */
  readonly clearDelay?: number | undefined;
  readonly display?: Display;
  /** Told what could not be read, where there is no display. */
  readonly warn?: (line: string) => void;
}

export interface PipeEnd {
  readonly dialect: string | undefined;
  /** At least one event came of the input. */
  readonly recognised: boolean;
  readonly bytes: number;
  readonly lives: readonly Live[];
  /** Todos that are neither done nor dropped, of all agents. */
  readonly open: number;
  /** Lines and entries that could not be read. */
  readonly skipped: number;
  report(): string;
}

/** An agent's stream on its way through. Knows no process: its owner feeds it, ticks and ends it. */
export interface Pipe {
  feed(chunk: Buffer): void;
  /** To be called a few times a second: draws what changed. */
  tick(): void;
  end(): PipeEnd;
}

const MAX_WARNINGS = 20;
const MAX_QUEUE = 500;
// The empty line above a list, its header and its footer.
const FRAME = 3;
// The lines that stand for the todos above and below those that are shown.
const HIDDEN = 2;

export function openPipe(options: PipeOptions): Pipe {
  const { now, display, json, tee, warn } = options;
  const screen = openPipeScreen(options.lifecycle, now, options.stall, options);
  const warnings: string[] = [];
  let skipped = 0;
  let unsaid = 0;
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

  const entries = (said: readonly LogEntry[]): void => {
    if (!display || said.length === 0) return;
    const text = { ...display.text(), now: screen.now(), edge: region !== undefined };
    log(said.map((entry) => renderLogEntry(entry, text)));
  };

  const pictureLines = ({ view, note }: Picture, maxRows?: number): string[] => {
    if (!display) return [];
    const base = display.text();
    const limit = maxRows === undefined ? { all: true } : { maxRows };
    // A line that fills the last column makes some terminals begin a new one.
    const width = region ? base.width - 1 : base.width;
    const text = { ...base, ...limit, width, now: screen.now() };
    if (text.style !== "plan") return renderCompact(view, text, note).split("\n");
    return [...renderList(view, text).split("\n"), ...(note ? [note] : [])];
  };

  const frame = (): string[] => {
    const room = (display?.size?.().rows ?? 0) - 1;
    const all = screen.pictures;
    const shown = all.slice(-Math.max(1, Math.floor(room / (FRAME + HIDDEN + 1))));
    const share = Math.floor(room / Math.max(1, shown.length)) - FRAME;
    const hidden = all.length - shown.length;
    const lines = shown.flatMap((picture) => {
      const fits = picture.view.rows.length <= share;
      return ["", ...pictureLines(picture, Math.max(1, fits ? share : share - HIDDEN))];
    });
    return hidden > 0 && lines.length < room ? [...lines, `${hidden} more lists`] : lines;
  };

  const flush = (): void => {
    if (!display) return;
    const lines = queue;
    queue = [];
    if (region) region.draw(lines, frame());
    else if (lines.length > 0) display.write(lines.map((line) => `${line}\n`).join(""));
  };

  const noteWarning = (event: StreamEvent & { readonly type: "warning" }): boolean => {
    if (event.code !== "list_rejected" && event.code !== "list_unknown") skipped++;
    if (warnings.length >= MAX_WARNINGS) {
      unsaid++;
      return false;
    }
    warnings.push(warningText(event));
    warn?.(warningText(event));
    return true;
  };

  const take = (event: StreamEvent): void => {
    isDirty = true;
    const isNews = event.type !== "warning" || noteWarning(event);
    if (event.type !== "warning") events++;
    const encode = ENCODERS.get(options.format ?? OWN_FORMAT);
    const printed = encode ? encode(event, eventUuid) : event;
    if (json && printed) jsonLines.push(`${forJson(printed)}\n`);
    const { said, left } = screen.take(event);
    if (isNews) entries(said);
    if (left.length > 0) log([...left.flatMap((gone) => ["", ...pictureLines(gone)]), ""]);
  };
  /** One write for all that a piece of the input gave: there can be thousands. */
  const pass = (): void => {
    if (jsonLines.length > 0) json?.(jsonLines.join(""));
    jsonLines = [];
    if (!region) flush();
  };
  const intake = openIntake({
    dialect: options.dialect,
    now: screen.now,
    each: take,
    earlier: options.earlier,
  });

  return {
    feed(chunk) {
      bytes += chunk.length;
      tee?.(chunk);
      intake.feed(chunk);
      pass();
    },
    tick() {
      // Between two events only the seconds change that are shown beside the current todo.
      if (!display || (!isDirty && now() - drawnAt < SECOND)) return;
      entries(screen.look());
      flush();
      isDirty = false;
      drawnAt = now();
    },
    end() {
      const ended = screen.now();
      intake.end();
      skipped += intake.unknown;
      if (unsaid > 0) {
        const more = `${unsaid} more could not be read`;
        warn?.(more);
        entries([{ at: screen.now(), mark: "watch", text: more }]);
      }
      const final = screen.pictures.flatMap((picture) => ["", ...pictureLines(picture)]);
      if (region) {
        region.draw([...queue, ...final], []);
        queue = [];
      } else log(final);
      pass();
      const lives = screen.lives;
      return {
        dialect: intake.dialect?.id,
        recognised: events > 0,
        bytes,
        lives,
        open: lives.flatMap(({ track }) => track.todos).filter(isOpen).length,
        skipped,
        report: () => renderReport({ lives, now: ended, skipped, warnings }),
      };
    },
  };
}
