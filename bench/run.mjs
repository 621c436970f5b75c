// npm run bench -- core …: each measurement in one run on one machine; only ratios travel.
import { readdirSync } from "node:fs";
import { cpus } from "node:os";

const here = new URL(".", import.meta.url);
const known = readdirSync(here)
  .filter((file) => file.endsWith(".bench.mjs"))
  .map((file) => file.replace(".bench.mjs", ""));
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`No benchmark named ${unknown.join(", ")}. There are: ${known.join(", ")}.`);
  process.exit(2);
}

console.log(
  `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? "unknown processor"}\n`,
);
for (const name of asked.length > 0 ? asked : known) {
  console.log(`## ${name}\n`);
  const { run } = await import(new URL(`${name}.bench.mjs`, here));
  await run();
  console.log("");
}
