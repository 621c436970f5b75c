import { terminalLine } from "../../core/text/escape.ts";

/**
 * surfaces/metrics: figures about sessions and tasks as families of samples, and their form in the text format of
 * Prometheus. Pure, and the same for `waymark serve`, its OpenTelemetry export and `waymark task stats`.
 */

/** A metric with its samples. */
export interface Family {
  readonly name: string;
  /** One line without a backslash. */
  readonly help: string;
  /** Gauges unless the value only grows while the process runs: sessions and tasks can be deleted. */
  readonly type?: "gauge" | "counter";
  readonly samples: readonly Sample[];
  /** Labels with values from outside: the largest ones keep their name, the others add up as `other`. */
  readonly open?: readonly string[];
}

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

type Labels = Readonly<Record<string, string>>;

/** Bounds the number of series, and with it what a database of metrics has to keep. */
export const MAX_VALUES = 30;
const OTHER = "other";
const MAX_LENGTH = 100;

/** The samples of a family, each series once, with values of labels that are safe to show. */
export function seriesOf({ samples, open = [] }: Family): readonly Sample[] {
  // Samples whose labels are the same once they are shortened add up: a repeated series fails the whole scrape.
  const series = new Map<string, Sample>();
  for (const { labels, value } of withBoundedLabels(samples, open)) {
    const shown = Object.entries(labels).map(([name, text]): [string, string] => [
      name,
      shownValue(text),
    ]);
    const key = JSON.stringify(shown);
    const sum = (series.get(key)?.value ?? 0) + value;
    series.set(key, { labels: Object.fromEntries(shown), value: sum });
  }
  return [...series.values()];
}

function withBoundedLabels(samples: readonly Sample[], open: readonly string[]): readonly Sample[] {
  let bounded = samples;
  for (const label of open) {
    const sums = new Map<string, number>();
    for (const { labels, value } of bounded) {
      const of = labels[label];
      if (of !== undefined) sums.set(of, (sums.get(of) ?? 0) + value);
    }
    if (sums.size <= MAX_VALUES) continue;
    const largest = [...sums].sort(([, a], [, b]) => b - a).slice(0, MAX_VALUES);
    const kept = new Set(largest.map(([value]) => value));
    bounded = bounded.map(({ labels, value }) => {
      const of = labels[label];
      const isKept = of === undefined || kept.has(of);
      return { labels: isKept ? labels : { ...labels, [label]: OTHER }, value };
    });
  }
  return bounded;
}

/** Control and invisible characters become visible: some parsers end at them, and dashboards show the value. */
function shownValue(value: string): string {
  return [...terminalLine(value)].slice(0, MAX_LENGTH).join("");
}
