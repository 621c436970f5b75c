// npm run fuzz: feeds mutated inputs to one target of test/fuzz, and keeps those that reach new code. A failing input is minimized and
// written to the target's corpus, which `npm test` replays.
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { build } from "esbuild";
import { rangeOf } from "./fuzz/growth.mjs";
import { instrument } from "./fuzz/instrument.mjs";

const HELP = `Usage: npm run fuzz -- TARGET [FILE...] [options]

Runs the target on mutated inputs, or only on the given files.

  --seconds N   how long (default: 60)
  --seed N      the first random number (default: 1)
  --save        add inputs that reach new code to the corpus
  --files       list the sources with the share of their code that was reached
`;

/** Longest input of a mutation; growth is measured on longer ones. */
const MAX_INPUT = 4096;
/** A single input must not take longer. */
const HANG_MS = 30_000;
const MAX_HEAP_MB = 256;
/** Limits on minimizing and on the bytes that --save adds. */
const MINIMIZE_MS = 60_000;
const MAX_SAVED = 8 * 1024;
const MAX_SHOWN = 500;

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);
const place = join(root, "test/fuzz");
const corpusOf = (target) => join(place, "corpus", target);
const targets = readdirSync(join(place, "targets")).map((file) => basename(file, ".ts"));

/** Bundles a target with counters in every source. */
async function bundleTo(outfile, target) {
  const sources = [];
  let count = 0;
  const plugin = {
    name: "counters",
    setup(bundle) {
      bundle.onLoad({ filter: /[\\/]src[\\/].*\.tsx?$/ }, ({ path }) => {
        const { code, blocks, tokens } = instrument(path, readFileSync(path, "utf8"), count);
        sources.push({ file: relative(root, path), from: count, blocks, tokens });
        count += blocks;
        return { contents: code, loader: path.endsWith("x") ? "tsx" : "ts" };
      });
    },
  };
  await build({
    entryPoints: [join(place, "targets", `${target}.ts`)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    sourcemap: "inline",
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url); const __counters = globalThis.__counters;',
    },
    plugins: [plugin],
    mainFields: ["module", "main"],
    external: ["pg", "libsql"],
    loader: { ".sql": "text" },
    logLevel: "error",
  });
  return { sources, count };
}

/** A thread that runs the target. It survives failures, but not hangs and exhausted memory. */
function startThread(options) {
  const shared = new SharedArrayBuffer(16 + (1 << 20));
  const [state, bytes] = [new Int32Array(shared, 0, 4), new Uint8Array(shared, 16)];
  const worker = new Worker(new URL("fuzz/thread.mjs", import.meta.url), {
    workerData: { ...options, shared },
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  /** The case that runs, written by the thread: its number, its length and the range that growth repeats. */
  const current = () => {
    const [, length, from, to] = state;
    return {
      input: Buffer.from(bytes.subarray(0, length)),
      range: to > from ? [from, to] : undefined,
    };
  };
  /** Sends a request and resolves with its answer, or with the failure of the thread. */
  const ask = (request) =>
    new Promise((resolve) => {
      let last = -1;
      let since = performance.now();
      const finish = (answer) => {
        clearInterval(watch);
        worker.off("message", finish).off("error", fail);
        resolve(answer);
      };
      const fail = (error) => finish({ died: true, failure: error.message, ...current() });
      const watch = setInterval(() => {
        // Zero while the modules load.
        if (state[0] !== last || last === 0) [last, since] = [state[0], performance.now()];
        if (performance.now() - since < HANG_MS) return;
        void worker.terminate();
        fail(new Error(`takes more than ${HANG_MS / 1_000} s`));
      }, 100);
      worker.on("message", finish).on("error", fail);
      worker.postMessage(request);
    });
  return { ask, stop: () => worker.terminate() };
}

/** The same for two failures with one cause. */
const kindOf = (failure) =>
  SLOW.test(failure) ? "slow" : failure?.split("\n")[0].replace(/["'`].*|\d+(?:\.\d+)?/g, "");
const SLOW = /^(?:takes more than|four times)/;

/** A case without `size` bytes from `at`; undefined if nothing would be left to repeat. */
function without({ input, range }, at, size) {
  const less = Buffer.concat([input.subarray(0, at), input.subarray(at + size)]);
  if (!range) return { input: less };
  const moved = range.map((end) => Math.max(Math.min(end, at), end - size));
  return moved[0] < moved[1] ? { input: less, range: moved } : undefined;
}

/** Removes pieces as long as the input fails in the same way. */
async function minimize(options, { input, range }, failure) {
  const until = performance.now() + MINIMIZE_MS;
  let thread = startThread(options);
  let least = { input, range };
  const fails = async (less) => {
    const answer = await thread.ask(less);
    if (answer.died) thread = startThread(options);
    return kindOf(answer.failure) === kindOf(failure);
  };
  for (let size = Math.ceil(input.length / 2); size >= 1 && performance.now() < until; ) {
    const { length } = least.input;
    for (let at = 0; at < least.input.length && performance.now() < until; ) {
      const less = without(least, at, size);
      if (less && (await fails(less))) least = less;
      else at += size;
    }
    // Single bytes again until none can be removed.
    if (size > 1 || least.input.length === length) size >>= 1;
  }
  await thread.stop();
  return least;
}

function save(target, prefix, { input, range }) {
  const hash = createHash("sha256").update(input).digest("hex").slice(0, 8);
  const name = `${prefix}-${hash}${range ? `.repeat-${range.join("-")}` : ""}`;
  mkdirSync(corpusOf(target), { recursive: true });
  writeFileSync(join(corpusOf(target), name), input);
  return relative(root, join(corpusOf(target), name));
}

const caseOf = (file) => ({ input: readFileSync(file), range: rangeOf(file) });

function corpus(target) {
  try {
    return readdirSync(corpusOf(target)).map((file) => caseOf(join(corpusOf(target), file)));
  } catch {
    return [];
  }
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seconds: { type: "string", default: "60" },
      seed: { type: "string", default: "1" },
      save: { type: "boolean" },
      files: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  const [target, ...files] = positionals;
  if (values.help || !targets.includes(target)) {
    process.stdout.write(`${HELP}\nTargets: ${targets.join(", ")}\n`);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  // Packages that are not bundled are found from here.
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const dir = mkdtempSync(join(cache, "fuzz-"));
  process.on("exit", () => rmSync(dir, { recursive: true, force: true }));
  const bundle = join(dir, "target.mjs");
  const { sources, count } = await bundleTo(bundle, target);
  const options = { bundle, count, sources, maxInput: MAX_INPUT };

  const thread = startThread(options);
  if (files.length > 0) {
    for (const file of files) {
      const { failure } = await thread.ask(caseOf(file));
      console.log(`${file}: ${failure ?? "passed"}`);
      if (failure) process.exitCode = 1;
    }
    return void thread.stop();
  }
  const seeds = corpus(target);
  const answer = await thread.ask({
    seeds,
    seed: Number(values.seed),
    milliseconds: Number(values.seconds) * 1_000,
  });
  await thread.stop();
  if (answer.failure !== undefined) {
    console.error(`${target}: ${answer.failure}\nMinimizing ${answer.input.length} bytes`);
    const least = await minimize(options, answer, answer.failure);
    const shown = JSON.stringify(Buffer.from(least.input).toString("latin1")).slice(0, MAX_SHOWN);
    console.error(`${save(target, "finding", least)}: ${shown}`);
    process.exitCode = 1;
    return;
  }
  const { runs, seconds, reached, hits, kept, slowest } = answer;
  const share = (some, all) => `${some} of ${all} blocks (${Math.round((100 * some) / all)} %)`;
  // Leaves out code that runs only while modules load.
  const entered = sources.filter(({ from, blocks }) =>
    hits.subarray(from, from + blocks).some(Boolean),
  );
  const inside = entered.reduce((sum, { blocks }) => sum + blocks, 0);
  console.log(
    `${target}: ${runs} inputs in ${seconds.toFixed(0)} s, ${Math.round(runs / seconds)} per second; ` +
      `${share(reached, inside)} of ${entered.length} sources, ${kept.length} inputs kept, slowest ${slowest.toFixed(1)} ms`,
  );
  if (values.files)
    for (const { file, from, blocks } of entered)
      console.log(
        `  ${file}: ${share(hits.subarray(from, from + blocks).filter(Boolean).length, blocks)}`,
      );
  if (values.save) {
    let room = MAX_SAVED;
    for (const input of kept) {
      room -= input.length;
      if (room >= 0) save(target, "kept", { input });
    }
  }
}

await main();
