// npm run simulate: runs the seeds of test/simulation and prints those that fail, with a trace of steps.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { build } from "esbuild";

const HELP = `Usage: npm run simulate -- [options]

  --seed N        run one seed and print its steps
  --seeds N       number of seeds (default: 1000)
  --from N        the first seed (default: 0)
  --seconds N     stop after this time, whatever the number of seeds
  --threads N     number of threads (default: one for each core)
  --all           continue after a failing seed
  --fingerprints  print the fingerprint of each seed: two runs of a seed have the same one
`;

const root = fileURLToPath(new URL("..", import.meta.url));
const simulation = join(root, "test/simulation");

/** Modules that reach the operating system, and what replaces them. */
const REPLACED = [
  [/^node:fs$/, "platform/fs.ts"],
  [/^node:timers(?:\/promises)?$/, "platform/timers.ts"],
  [/^node:crypto$/, "platform/crypto.ts"],
  [/^node:os$/, "platform/os.ts"],
  [/\/stores\/sqlite\.ts$/, "stores/lists.ts"],
  [/\/tasks\/sqlite\.ts$/, "stores/tasks.ts"],
  [/^pg$/, "platform/pg.ts"],
];

/** Variables and collections of modules: each seed starts as a new program does. */
const VARIABLE = /^let (\w+)(?:: [^=\n]+)?(?: = (.+))?;$/gm;
const COLLECTION = /^(?:export )?const (\w+).* = new (?:Map|Set)<.*>\(\);$/gm;

const moduleState = {
  name: "module state",
  setup(bundle) {
    bundle.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (!path.startsWith(join(root, "src"))) return;
      const text = readFileSync(path, "utf8");
      const resets = [
        ...[...text.matchAll(VARIABLE)].map(([, name, value]) => `${name} = ${value};`),
        ...[...text.matchAll(COLLECTION)].map(([, name]) => `${name}.clear();`),
      ];
      if (resets.length === 0) return;
      const file = JSON.stringify(join(simulation, "platform/module-state.ts"));
      const contents = `import { onReset } from ${file};\n${text}\nonReset(() => { ${resets.join(" ")} });\n`;
      return { contents, loader: "ts" };
    });
  },
};

const platform = {
  name: "simulated platform",
  setup(bundle) {
    for (const [filter, file] of REPLACED)
      bundle.onResolve({ filter }, ({ importer }) =>
        // The replacements use what they replace.
        importer.startsWith(join(simulation, "platform")) ||
        importer.startsWith(join(simulation, "stores"))
          ? { path: undefined }
          : { path: join(simulation, file) },
      );
  },
};

async function bundleTo(outfile) {
  await build({
    entryPoints: [join(simulation, "main.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    sourcemap: "inline",
    inject: [join(simulation, "platform/globals.ts")],
    plugins: [moduleState, platform],
    external: ["libsql"],
    loader: { ".sql": "text" },
    logLevel: "error",
  });
}

/** Runs the seeds of one thread: every `step`th from `from`. */
async function work({ file, from, step, count, until }) {
  const { simulate } = await import(pathToFileURL(file).href);
  for (let index = 0; index < count && Date.now() < until; index++)
    parentPort.postMessage(await simulate(from + index * step));
}

function fingerprintOf({ seed, steps, fingerprint }) {
  return `Seed ${seed}: ${steps} steps, fingerprint ${fingerprint}.`;
}

async function main() {
  const { values } = parseArgs({
    options: {
      seed: { type: "string" },
      seeds: { type: "string", default: "1000" },
      from: { type: "string", default: "0" },
      seconds: { type: "string" },
      threads: { type: "string", default: String(availableParallelism()) },
      all: { type: "boolean" },
      fingerprints: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help) return process.stdout.write(HELP);
  const dir = mkdtempSync(join(tmpdir(), "waymark-simulation-"));
  process.on("exit", () => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, "simulation.mjs");
  await bundleTo(file);
  process.setSourceMapsEnabled(true);
  const { simulate } = await import(pathToFileURL(file).href);
  if (values.seed !== undefined) {
    const run = await simulate(Number(values.seed), (line) => process.stdout.write(`${line}\n`));
    console.log(`\n${fingerprintOf(run)}`);
    if (run.failure === undefined) return;
    console.log(`FAILED: ${run.failure}`);
    process.exitCode = 1;
    return;
  }
  const began = performance.now();
  const until =
    values.seconds === undefined
      ? Number.MAX_SAFE_INTEGER
      : Date.now() + 1_000 * Number(values.seconds);
  const threads = Number(values.threads);
  const failed = [];
  let runs = 0;
  let steps = 0;
  const workers = Array.from({ length: threads }, (_, index) => {
    const count = Math.floor((Number(values.seeds) - index + threads - 1) / threads);
    const task = { file, from: Number(values.from) + index, step: threads, count, until };
    return new Worker(new URL(import.meta.url), { workerData: task });
  });
  const stop = () => Promise.all(workers.map((worker) => worker.terminate()));
  await Promise.all(
    workers.map(
      (worker) =>
        new Promise((resolve, reject) => {
          worker.on("error", reject);
          worker.on("exit", resolve);
          worker.on("message", (run) => {
            runs++;
            steps += run.steps;
            if (values.fingerprints) console.log(fingerprintOf(run));
            if (run.failure === undefined) return;
            failed.push(run);
            if (!values.all) stop();
          });
        }),
    ),
  );
  const seconds = (performance.now() - began) / 1_000;
  console.log(
    `${runs} seeds, ${steps} steps in ${seconds.toFixed(1)} s: ${(runs / seconds).toFixed(0)} seeds per second. ${failed.length} failed.`,
  );
  for (const { seed, failure } of failed.sort((a, b) => a.seed - b.seed).slice(0, 20))
    console.log(`\nSeed ${seed}: ${failure}\nReplay: npm run simulate -- --seed ${seed}`);
  if (failed.length > 0) process.exitCode = 1;
}

if (isMainThread) await main();
else await work(workerData);
