import { spawnSync } from "node:child_process";

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** Milliseconds of each of several commands, run in turns so that all see the same machine. */
export function timeCommands(commands, rounds) {
  const times = new Map(Object.keys(commands).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, { args, input = "", env = process.env }] of Object.entries(commands)) {
      const start = performance.now();
      const { status, stderr } = spawnSync(process.execPath, args, { input, env });
      times.get(name).push(performance.now() - start);
      if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`);
    }
  }
  return new Map([...times].map(([name, taken]) => [name, median(taken)]));
}

export const CERTIFICATES =
  "NODE_EXTRA_CA_CERTS is set: each Node program that inherits it first reads those certificates, which lowers its ratio to `node -e 0`. The peers do not inherit it.";

/** The environment without NODE_EXTRA_CA_CERTS; undefined if it is not set. */
export function withoutCertificates({ NODE_EXTRA_CA_CERTS, ...env }) {
  return NODE_EXTRA_CA_CERTS === undefined ? undefined : env;
}

/** Microseconds per call, over many calls. */
export async function timeEach(count, work) {
  const start = performance.now();
  for (let index = 0; index < count; index++) await work(index);
  return ((performance.now() - start) / count) * 1000;
}

const recorded = [];

/** Titles, tables and notes shown since the last call, in order. */
export function takeRecorded() {
  return recorded.splice(0);
}

export function title(text) {
  recorded.push({ title: text });
  console.log(`### ${text}\n`);
}

export function note(text) {
  recorded.push({ note: text });
  console.log(`\n${text}\n`);
}

export function table(rows) {
  recorded.push({ rows });
  console.log(tableText(rows));
}

/** As Markdown; missing cells are empty. */
export function tableText(rows) {
  const columns = [...new Set(rows.flatMap(Object.keys))];
  const cells = rows.map((row) => columns.map((column) => String(row[column] ?? "")));
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...cells.map((row) => row[index].length)),
  );
  const line = (row) => `| ${row.map((cell, index) => cell.padEnd(widths[index])).join(" | ")} |`;
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  return [line(columns), rule, ...cells.map(line)].join("\n");
}
