// npm run bench -- core …: all measurements in one run on one machine; compare ratios, not times.
// --save runs all of them and writes RESULTS.md and its pictures.
import { readdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { CERTIFICATES, takeRecorded, withoutCertificates } from "./measure.mjs";
import { arePeersThere, NOT_INSTALLED } from "./peers/brought.mjs";
import { chartsOf, resultsText } from "./results.mjs";

const here = new URL(".", import.meta.url);
const known = readdirSync(here)
  .filter((file) => file.endsWith(".bench.mjs"))
  .map((file) => file.replace(".bench.mjs", ""));

const {
  values: { save },
  positionals: asked,
} = parseArgs({ allowPositionals: true, options: { save: { type: "boolean", default: false } } });
const unknown = asked.filter((name) => !known.includes(name));
if (unknown.length > 0)
  refuse(`No benchmark named ${unknown.join(", ")}. There are: ${known.join(", ")}.`);
if (save && asked.length > 0)
  refuse("--save runs every benchmark. Omit the names, or omit --save.");
if (save && !arePeersThere()) refuse(`--save needs the peers, which are ${NOT_INSTALLED}.`);

function refuse(why) {
  console.error(why);
  process.exit(2);
}

const load = () => loadavg()[0].toFixed(1);
const processor = `${cpus().length} x ${cpus()[0]?.model.trim() ?? "unknown processor"}`;
const start = Date.now();
const before = load();
/** The facts about this machine that the figures depend on. */
const remarks = withoutCertificates(process.env) ? [CERTIFICATES] : [];
console.log(`Node ${process.version}, ${processor}, load ${before}\n`);
for (const remark of remarks) console.log(`${remark}\n`);

const sections = [];
for (const name of asked.length > 0 ? asked : known) sections.push(await measure(name));
if (save) write();

/** A failing benchmark does not stop the others. */
async function measure(name) {
  console.log(`## ${name}\n`);
  const section = { name, load: { before: load() } };
  try {
    const { run } = await import(new URL(`${name}.bench.mjs`, here));
    await run();
  } catch (error) {
    console.error(error);
    section.failure = error.message.split("\n")[0];
    process.exitCode = 1;
  }
  section.load.after = load();
  section.shown = takeRecorded();
  console.log("");
  return section;
}

function write() {
  const charts = chartsOf(sections);
  const text = resultsText(
    {
      date: new Date(start).toISOString().slice(0, 10),
      node: process.version,
      processor,
      load: { before, after: load() },
      minutes: Math.ceil((Date.now() - start) / 60_000),
      remarks,
      sections,
    },
    charts,
  );
  writeFileSync(new URL("RESULTS.md", here), text);
  for (const { file, svg } of charts) writeFileSync(new URL(`../docs/pictures/${file}`, here), svg);
  const files = ["bench/RESULTS.md", ...charts.map(({ file }) => `docs/pictures/${file}`)];
  console.log(`Written: ${files.join(", ")}`);
}
