import { type Family, type Sample, seriesOf } from "./family.ts";

/** The text format 0.0.4 of Prometheus. Families without samples are left out. */
export function metricsText(families: readonly Family[]): string {
  return families.flatMap(familyLines).join("\n");
}

function familyLines(family: Family): string[] {
  const { name, help, type = "gauge" } = family;
  const series = seriesOf(family);
  if (series.length === 0) return [];
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...series.map(({ labels, value }) => `${name}${labelText(labels)} ${value}`),
  ];
}

function labelText(labels: Sample["labels"]): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${quoted(value)}`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function quoted(value: string): string {
  return `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
