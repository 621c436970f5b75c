export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ParsedFamily {
  readonly help: string;
  readonly type: string;
  readonly samples: readonly Sample[];
}

const NAME = /^[a-zA-Z_:][\w:]*$/;
const LABEL = /^[a-zA-Z_]\w*$/;

/**
 * Reads the text format 0.0.4 of Prometheus and throws at everything that the format forbids, also where Prometheus itself is lenient:
 * HELP and TYPE once and before the samples, samples of a family together, no repeated series, only three escapes.
 */
export function parseMetrics(text: string): ReadonlyMap<string, ParsedFamily> {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  const families = new Map<string, { help: string; type: string; samples: Sample[] }>();
  const seen = new Set<string>();
  let help: { name: string; text: string } | undefined;
  let current = "";
  for (const line of text.slice(0, -1).split("\n")) {
    const comment = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line);
    if (comment) {
      const [, kind, name = "", rest = ""] = comment;
      if (!NAME.test(name)) throw new Error(`bad name: ${line}`);
      if (kind === "HELP") {
        if (help) throw new Error(`HELP without TYPE: ${help.name}`);
        if (/\\(?![\\n])/.test(rest)) throw new Error(`bad escape: ${line}`);
        help = { name, text: rest };
      } else {
        if (help?.name !== name) throw new Error(`TYPE without its HELP: ${line}`);
        if (!["gauge", "counter"].includes(rest)) throw new Error(`bad type: ${line}`);
        if (families.has(name)) throw new Error(`repeated family: ${name}`);
        families.set(name, { help: help.text, type: rest, samples: [] });
        help = undefined;
        current = name;
      }
      continue;
    }
    if (help) throw new Error(`no TYPE after HELP: ${help.name}`);
    const sample = parseSample(line);
    if (sample.name !== current) throw new Error(`a sample outside its family: ${line}`);
    const key = `${sample.name} ${JSON.stringify(Object.entries(sample.labels).sort())}`;
    if (seen.has(key)) throw new Error(`repeated series: ${line}`);
    seen.add(key);
    families.get(current)?.samples.push(sample);
  }
  if (help) throw new Error(`no TYPE after HELP: ${help.name}`);
  for (const [name, { type, samples }] of families) {
    if (samples.length === 0) throw new Error(`no samples: ${name}`);
    if ((type === "counter") !== name.endsWith("_total")) throw new Error(`bad suffix: ${name}`);
  }
  return families;
}

function parseSample(line: string): Sample {
  let at = 0;
  const read = (pattern: RegExp): string => {
    const sticky = new RegExp(pattern, "y");
    sticky.lastIndex = at;
    const found = sticky.exec(line);
    if (!found) throw new Error(`expected ${pattern} at ${at} of ${JSON.stringify(line)}`);
    at = sticky.lastIndex;
    return found[0];
  };
  const name = read(/[^{ ]+/);
  if (!NAME.test(name)) throw new Error(`bad name: ${line}`);
  const labels: Record<string, string> = {};
  if (line[at] === "{") {
    do {
      at++;
      const label = read(/[^=]+/);
      if (!LABEL.test(label) || label in labels) throw new Error(`bad label: ${line}`);
      read(/="/);
      labels[label] = read(/(?:[^"\\\n]|\\["\\n])*/).replace(/\\(.)/g, (_, escaped: string) =>
        escaped === "n" ? "\n" : escaped,
      );
      read(/"/);
    } while (line[at] === ",");
    read(/\}/);
  }
  const value = read(/ -?\d+(?:\.\d+)?(?:e[+-]\d+)?$/);
  return { name, labels, value: Number(value) };
}

/** The value of a series; undefined if it is missing. */
export function valueIn(
  families: ReadonlyMap<string, ParsedFamily>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const wanted = JSON.stringify(Object.entries(labels).sort());
  return families
    .get(name)
    ?.samples.find((each) => JSON.stringify(Object.entries(each.labels).sort()) === wanted)?.value;
}
