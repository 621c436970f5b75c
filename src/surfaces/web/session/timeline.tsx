import type { RefObject } from "preact";
import { useContext, useEffect, useMemo } from "preact/hooks";
import type { Event } from "../../../core/model.ts";
import { counted } from "../../../core/text/count.ts";
import { forPage } from "../../../core/text/escape.ts";
import type { CallMark } from "../../../core/views/activity-timeline.ts";
import type { BoardRow } from "../../../core/views/board.ts";
import { type Remark, remarksOf } from "../../../core/views/history.ts";
import { lastActive } from "../../../core/views/merged.ts";
import { type Lane, lanesOf, withMarks } from "../../../core/views/timeline.ts";
import { CallList } from "../calls/call-list.tsx";
import { CallsContext, callsOf } from "../calls/open-call.ts";
import { useApp } from "../state/app-context.ts";
import { useStore } from "../state/hooks.ts";
import { type Scale, scaleOf } from "../state/scale.ts";
import type { TrackHistory } from "../state/tracks.ts";
import { Icon } from "../ui/icons.tsx";
import { Key, Text } from "../ui/parts.tsx";
import { clockText, Duration, Time, timeText } from "../ui/time.tsx";

const WIDTH = 1240;
const LEFT = 240;
const RIGHT = 1216;
const LANE = 20;
/** The newest lanes are shown. */
const MAX_LANES = 24;

interface TimelineProps {
  readonly row: BoardRow;
  readonly history: TrackHistory;
  readonly now: number;
  /** Number of applied events (default: all). */
  readonly position: number | undefined;
  onPosition(to: number): void;
  readonly slider: RefObject<HTMLInputElement | null>;
}

/** Remarks that are not drawn: too frequent, or already among the timeline's happenings. */
const UNMARKED: ReadonlySet<Remark["what"]> = new Set(["reminded", "explanation", "list refused"]);

interface Worker {
  readonly name: string;
  readonly lanes: readonly Lane[];
}

/** Todos and tool calls of a session and its subagents over time. */
export function Timeline({ row, history, now, position, onPosition, slider }: TimelineProps) {
  const { store } = useApp();
  const { histories } = useStore(store);
  const family = row.children.map(({ key }) => key).join();
  useEffect(() => {
    const ids = row.children
      .slice(0, 8)
      .map(({ track: { session, agent } }) => ({ session, agent }));
    for (const id of ids) store.watch(id);
    return () => {
      for (const id of ids) store.unwatch(id);
    };
  }, [family]);
  const { events, story } = history;
  const busy = row.group === "working" ? now : lastActive(row);
  const own = useMemo(() => lanesOf(row.track, events, busy), [events, busy]);
  const whos: readonly Worker[] = [
    { name: "", lanes: withMarks(own.slice(-MAX_LANES), row.track.todos) },
    ...row.children.flatMap((child) => {
      const { key, track, title, group } = child;
      const theirs = histories.get(key)?.events;
      const lanes = theirs
        ? lanesOf(track, theirs, group === "working" ? now : lastActive(child))
        : [];
      return lanes.length > 0 ? [{ name: title, lanes: withMarks(lanes, track.todos) }] : [];
    }),
  ];
  const recent: readonly CallMark[] = callsOf(story.calls, row);
  const remarks = remarksOf(events).filter(({ what }) => !UNMARKED.has(what));
  const happenings = [
    ...remarks.map(({ at, what }) => ({ at, what: what as string })),
    ...story.happenings.filter(({ what }) => what !== "asked"),
    ...events.flatMap(({ at, by, changes }) =>
      by === "user" &&
      changes.some(({ type }) => type.startsWith("todo.") || type.startsWith("list."))
        ? [{ at, what: "you edited" }]
        : [],
    ),
  ].sort((a, b) => a.at - b.at);
  const times = [
    ...whos.flatMap(({ lanes }) =>
      lanes.flatMap(({ spans }) => spans.flatMap(({ from, to }) => [from, to])),
    ),
    ...recent.map(({ at }) => at),
    ...events.map(({ at }) => at),
  ].filter((at) => at > 0);
  if (times.length === 0) return null;
  const from = times.reduce((a, b) => Math.min(a, b));
  const to = Math.max(
    busy,
    times.reduce((a, b) => Math.max(a, b)),
  );
  const scale = scaleOf(from, to, LEFT, RIGHT);
  const at = position === undefined ? undefined : events[position - 1]?.at;
  return (
    <section class="card timeline" aria-labelledby="timeline-title">
      <header>
        <h2 id="timeline-title">Timeline</h2>
        <span class="legend">
          <span>
            <Icon name="verified" /> check passed
          </span>
          <span>
            <Icon name="failed" /> check failed
          </span>
          <span>
            <Icon name="you" /> event
          </span>
        </span>
      </header>
      <div class="scroll" tabIndex={0} role="group" aria-label="Timeline">
        <Drawing whos={whos} calls={recent} happenings={happenings} scale={scale} at={at} />
        {events.length > 0 && (
          <div class="slide" id="history">
            <label for="history-slider">
              History <Key>[</Key> <Key>]</Key>
            </label>
            <span class="num quiet">{at === undefined ? "now" : <Time at={at} />}</span>
            <input
              id="history-slider"
              type="range"
              ref={slider}
              min={scale.from}
              max={scale.to}
              value={at ?? scale.to}
              aria-valuetext={
                at === undefined
                  ? `now, after ${counted(events.length, "change")}`
                  : `change ${position} of ${events.length}, ${timeText(at)}`
              }
              onInput={(event) => onPosition(countUntil(events, Number(event.currentTarget.value)))}
              onKeyDown={(event) => {
                const to = steppedTo(event.key, position ?? events.length, events.length);
                if (to === undefined) return;
                event.preventDefault();
                onPosition(to);
              }}
            />
          </div>
        )}
      </div>
      <CallList left={story.left} />
      <Table whos={whos} />
    </section>
  );
}

/** Number of events until a time. */
function countUntil(events: readonly Event[], time: number): number {
  return events.findLastIndex(({ at }) => at <= time) + 1;
}

/** Keys move by changes, not by time. */
function steppedTo(key: string, from: number, last: number): number | undefined {
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return from - 1;
    case "ArrowRight":
    case "ArrowUp":
      return from + 1;
    case "PageDown":
      return from - 10;
    case "PageUp":
      return from + 10;
    case "Home":
      return 1;
    case "End":
      return last;
    default:
      return undefined;
  }
}

interface DrawingProps {
  readonly whos: readonly Worker[];
  readonly calls: readonly CallMark[];
  readonly happenings: readonly { readonly at: number; readonly what: string }[];
  readonly scale: Scale;
  readonly at: number | undefined;
}

const KINDS = ["read", "edit", "check"] as const;
const KIND_LABELS = { read: "reads", edit: "edits", check: "checks" } as const;

function Drawing({ whos, calls, happenings, scale, at }: DrawingProps) {
  const { show } = useContext(CallsContext);
  /** The list of calls has the same for the keyboard. */
  const opening = (call: CallMark) =>
    call.callId === undefined ? {} : { class: "mark-call", onClick: () => show({ call }) };
  const { x, ticks } = scale;
  let y = 34;
  const lanes = whos.flatMap(({ name, lanes: each }) =>
    each.map((lane) => {
      const place = y;
      y += LANE;
      return { ...lane, name, y: place };
    }),
  );
  const callsAt = y + 8;
  const eventsAt = callsAt + KINDS.length * 14 + 14;
  const height = eventsAt + (happenings.length > 0 ? 18 : 0);
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${height}`}
      role="img"
      aria-label="Timeline of todos and calls; the table below has the same data"
    >
      {ticks.map((tick) => (
        <g key={tick}>
          <path class="rule dotted" d={`M${x(tick)} 20V${height - 8}`} />
          <text x={x(tick)} y={12} text-anchor="middle">
            {clockText(tick)}
          </text>
        </g>
      ))}
      {lanes.map(({ name, id, text, spans, closed, y: place }) => (
        <g key={`${name} ${id}`}>
          <path class="rule" d={`M${LEFT} ${place}H${RIGHT}`} />
          <text class="lane" x={16} y={place + 4}>
            {cut(forPage(name === "" ? text : `${name}: ${text}`))}
          </text>
          {spans.map(({ from, to }, number) => (
            <rect
              key={number}
              class={name === "" ? "work" : "work below"}
              x={x(from)}
              y={place - 5}
              width={Math.max(3, x(to) - x(from))}
              height={10}
              rx={2}
            />
          ))}
          {closed && <End how={closed.how} x={Math.min(RIGHT + 10, x(closed.at) + 10)} y={place} />}
        </g>
      ))}
      {calls.length > 0 &&
        KINDS.map((kind, place) => (
          <g key={kind} class={`calls ${kind}`}>
            <text class="lane" x={LEFT - 12} y={callsAt + place * 14 + 4} text-anchor="end">
              {KIND_LABELS[kind]}
            </text>
            {calls
              .filter((call) => call.kind === kind)
              .map((call, number) => (
                <g key={number} {...opening(call)}>
                  {kind === "check" ? (
                    <Check x={x(call.at)} y={callsAt + place * 14} ok={call.ok} />
                  ) : (
                    <path
                      class={call.ok === false ? "call bad" : "call"}
                      d={`M${x(call.at).toFixed(1)} ${callsAt + place * 14 - 4}v8`}
                    />
                  )}
                  <title>{cut(forPage(call.label))}</title>
                </g>
              ))}
          </g>
        ))}
      {calls.length > 0 && (
        <text class="lane strong" x={16} y={callsAt + 4}>
          Tool calls
        </text>
      )}
      {happenings.map(({ at: when, what }, place) => {
        const next = happenings[place + 1];
        const hasRoom = !next || x(next.at) - x(when) > what.length * 6 + 16;
        const isLate = x(when) > RIGHT - what.length * 6 - 10;
        return (
          <g key={place} class="happening">
            <path class="rule you" d={`M${x(when)} 20V${eventsAt - 6}`} />
            <path d={`M${x(when)} ${eventsAt - 4}l4 4-4 4-4-4z`} />
            {hasRoom && (
              <text
                x={x(when) + (isLate ? -8 : 8)}
                y={eventsAt + 4}
                text-anchor={isLate ? "end" : "start"}
              >
                {what}
              </text>
            )}
          </g>
        );
      })}
      {at !== undefined && <path class="position" d={`M${x(at)} 16V${height - 4}`} />}
    </svg>
  );
}

interface EndProps {
  readonly how: NonNullable<Lane["closed"]>["how"];
  readonly x: number;
  readonly y: number;
}

/** The mark of a closed todo, as in the list. */
function End({ how, x, y }: EndProps) {
  if (how === "failed")
    return <path class="check-failed" d={`M${x - 3.5} ${y - 3.5}l7 7m0-7l-7 7`} />;
  return (
    <>
      <circle class={`end is-${how}`} cx={x} cy={y} r={4.5} />
      {how === "reproduced" && <circle class="end outer" cx={x} cy={y} r={7} />}
      {how === "stale" && <circle class="end dot" cx={x + 4} cy={y - 4} r={1.8} />}
    </>
  );
}

function Check({
  x,
  y,
  ok,
}: {
  readonly x: number;
  readonly y: number;
  readonly ok: boolean | undefined;
}) {
  if (ok === false) return <path class="check-failed" d={`M${x - 3} ${y - 3}l6 6m0-6l-6 6`} />;
  return <circle class={ok ? "check-passed" : "check-open"} cx={x} cy={y} r={3.5} />;
}

const SHOWN_TEXT = 34;

function cut(text: string): string {
  const letters = [...text.slice(0, SHOWN_TEXT * 4)];
  return letters.length > SHOWN_TEXT ? `${letters.slice(0, SHOWN_TEXT - 1).join("")}…` : text;
}

function Table({ whos }: { readonly whos: readonly Worker[] }) {
  return (
    <details>
      <summary>Show as table</summary>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Agent</th>
              <th scope="col">Todo</th>
              <th scope="col">Active</th>
              <th scope="col">Total</th>
              <th scope="col">Result</th>
            </tr>
          </thead>
          <tbody>
            {whos.flatMap(({ name, lanes }) =>
              lanes.map(({ id, text, spans, closed }) => (
                <tr key={`${name} ${id}`} class="num">
                  <td>
                    <Text>{name || "agent"}</Text>
                  </td>
                  <td>
                    <Text>{text}</Text>
                  </td>
                  <td>
                    {spans.map(({ from, to }) => `${timeText(from)}–${timeText(to)}`).join(", ")}
                  </td>
                  <td>
                    <Duration ms={spans.reduce((sum, { from, to }) => sum + to - from, 0)} />
                  </td>
                  <td>{closed ? `${closed.how} ${timeText(closed.at)}` : "open"}</td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      </div>
    </details>
  );
}
