/** Maps times to horizontal positions. */
export interface Scale {
  readonly from: number;
  readonly to: number;
  x(at: number): number;
  /** Round times that fit on the axis. */
  readonly ticks: readonly number[];
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10_080, 43_200].map(
  (minutes) => minutes * 60_000,
);

export function scaleOf(
  from: number,
  to: number,
  left: number,
  right: number,
  maxTicks = 7,
): Scale {
  const length = Math.max(to - from, 1_000);
  const step = STEPS.find((each) => length / each <= maxTicks) ?? length;
  const ticks: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to && ticks.length < 20; at += step)
    ticks.push(at);
  const x = (at: number) =>
    left + (Math.min(Math.max(at, from), from + length) - from) * ((right - left) / length);
  return { from, to: from + length, x, ticks };
}

/** Places from top to bottom, moved so that they are `least` apart and not below `bottom`. */
export function apart(places: readonly number[], least: number, bottom: number): number[] {
  const moved = [...places];
  for (let n = 1; n < moved.length; n++)
    moved[n] = Math.max(moved[n] ?? 0, (moved[n - 1] ?? 0) + least);
  for (let n = moved.length - 1, limit = bottom; n >= 0; n--, limit -= least)
    moved[n] = Math.min(moved[n] ?? 0, limit);
  return moved;
}
