import { useMemo } from "preact/hooks";
import type { Event, Todo, TrackId } from "../../../core/model.ts";
import { burnUpOf, type Level, withRuns } from "../../../core/views/timeline.ts";
import { apart, scaleOf } from "../state/scale.ts";
import { clockText, Time } from "../ui/time.tsx";

const WIDTH = 408;
const HEIGHT = 132;
/** Width of a character, generously: fonts differ. */
const LETTER = 6.8;
const TOP = 12;
const BOTTOM = 108;
/** The height of a label. */
const LABEL = 13;

interface BurnUpProps {
  readonly id: TrackId;
  readonly events: readonly Event[];
  /** The todos as they are now, with the runs of Waymark. */
  readonly todos: readonly Todo[];
  /** Set while the agent works; otherwise the chart ends with the last change. */
  readonly now: number | undefined;
}

/** Total, completed and verified todos over time. */
export function BurnUp({ id, events, todos, now }: BurnUpProps) {
  const levels = useMemo(() => {
    const all = withRuns(burnUpOf(id, events), todos);
    const first = all.findIndex(({ total }) => total > 0);
    return first === -1 ? [] : all.slice(first);
  }, [events, todos]);
  const first = levels[0];
  const last = levels.at(-1);
  if (!first || !last) return null;
  const top = Math.max(1, ...levels.map(({ total }) => total));
  const texts = [`${last.total} total`, `${last.completed} done`, `${last.verified} verified`];
  // The labels set the margins, so that none is cut off.
  const left = Math.max(24, String(top).length * LETTER + 10);
  const right = WIDTH - 8 - Math.max(...texts.map(({ length }) => length)) * LETTER;
  const { x, to, ticks } = scaleOf(first.at, Math.max(now ?? 0, last.at), left, right, 4);
  const y = (count: number) => BOTTOM - (count / top) * (BOTTOM - TOP);
  const steps = (value: (level: Level) => number) =>
    `M${levels.map((level) => `${x(level.at).toFixed(1)} ${y(value(level)).toFixed(1)}`).reduce((path, point) => `${path}H${point.replace(" ", "V")}`)}H${x(to).toFixed(1)}`;
  const places = apart([last.total, last.completed, last.verified].map(y), LABEL, BOTTOM);
  const labels = ["", "done", "verified"].map((name, index) => ({
    name,
    text: texts[index] ?? "",
    y: places[index] ?? 0,
  }));
  return (
    <section class="card" aria-labelledby="burn-up-title">
      <header>
        <h2 id="burn-up-title">Burn-up</h2>
        <span class="quiet">completed and verified over time</span>
      </header>
      <div class="chart">
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          role="img"
          aria-label={`${last.total} todos, ${last.completed} done, ${last.verified} verified`}
        >
          {[...new Set([0, Math.round(top / 2), top])].map((count) => (
            <g key={count}>
              <path class="rule" d={`M${left} ${y(count)}H${right}`} />
              <text x={left - 8} y={y(count) + 4} text-anchor="end">
                {count}
              </text>
            </g>
          ))}
          {ticks.map((at) => (
            <text key={at} x={x(at)} y={HEIGHT - 6} text-anchor="middle">
              {clockText(at)}
            </text>
          ))}
          <path
            class="burn-area"
            d={`${steps(({ verified }) => verified)}V${BOTTOM}H${x(first.at)}Z`}
          />
          <path class="burn-total" d={steps(({ total }) => total)} />
          <path class="burn-done" d={steps(({ completed }) => completed)} />
          <path class="burn-verified" d={steps(({ verified }) => verified)} />
          {labels.map(({ text, y: at, name }) => (
            <text key={text} class={`label ${name}`} x={right + 6} y={at + 4}>
              {text}
            </text>
          ))}
        </svg>
        <details>
          <summary>Show as table</summary>
          <div class="scroll">
            <table>
              <thead>
                <tr>
                  <th scope="col">Time</th>
                  <th scope="col">Total</th>
                  <th scope="col">Done</th>
                  <th scope="col">Verified</th>
                </tr>
              </thead>
              <tbody>
                {levels.map(({ at, total, completed, verified }, index) => (
                  <tr key={index} class="num">
                    <td>
                      <Time at={at} />
                    </td>
                    <td>{total}</td>
                    <td>{completed}</td>
                    <td>{verified}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </details>
      </div>
    </section>
  );
}
