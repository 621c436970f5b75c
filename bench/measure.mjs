import { spawnSync } from "node:child_process";

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** Milliseconds of each of several commands, taken in turns so that all see the same machine. */
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

/** Microseconds for one of many calls. */
export async function timeEach(count, work) {
  const start = performance.now();
  for (let index = 0; index < count; index++) await work(index);
  return ((performance.now() - start) / count) * 1000;
}

export function table(rows) {
  const columns = Object.keys(rows[0]);
  const widths = columns.map((column) =>
    Math.max(column.length, ...rows.map((row) => String(row[column]).length)),
  );
  const line = (cells) =>
    `| ${cells.map((cell, index) => String(cell).padEnd(widths[index])).join(" | ")} |`;
  console.log(line(columns));
  console.log(`|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`);
  for (const row of rows) console.log(line(columns.map((column) => row[column])));
}
