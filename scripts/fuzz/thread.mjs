// The thread of npm run fuzz that runs the target.
import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import { failureOfGrowth } from "./growth.mjs";
import { mutatorOf, randomFrom } from "./mutate.mjs";

const { bundle, count, sources, maxInput, shared } = workerData;
const counters = new Uint32Array(count);
globalThis.__counters = counters;
process.setSourceMapsEnabled(true);
const {
  fuzz,
  grows = true,
  seeds: moreSeeds = () => [],
} = await import(pathToFileURL(bundle).href);

const PROTOTYPES = [Object, Array, Function, String, Number].map(({ prototype }) => prototype);
const keysOf = () => PROTOTYPES.map((prototype) => Reflect.ownKeys(prototype).length).join();
const ownKeys = keysOf();
const [state, bytes] = [new Int32Array(shared, 0, 4), new Uint8Array(shared, 16)];

/** The main thread reads the case from shared memory if this thread hangs. */
function announce({ input, range = [0, 0] }) {
  bytes.set(input);
  state.set([state[0], input.length, ...range]);
}

async function run(input) {
  state[0]++;
  try {
    const result = fuzz(input);
    if (result instanceof Promise) await result;
  } catch (error) {
    return error instanceof Error ? error.stack : String(error);
  }
  return keysOf() === ownKeys ? undefined : "changes a built-in prototype";
}

function failureOf({ input, range }) {
  announce({ input, range });
  return range ? failureOfGrowth(run, input, range) : run(input);
}

/** The classes of a count that AFL made known: how often a block runs matters in steps. */
const CLASSES = Uint8Array.from({ length: 256 }, (_, n) =>
  n < 4 ? [0, 1, 2, 4][n] : n < 8 ? 8 : n < 16 ? 16 : n < 32 ? 32 : n < 128 ? 64 : 128,
);

/** The share of the time in which growth is measured. */
const GROWTH_SHARE = 0.2;

async function fuzzFor({ seeds, seed, milliseconds }) {
  const random = randomFrom(seed);
  const { below, pick } = random;
  const seen = new Uint8Array(count);
  const kept = [];
  const texts = [];
  let dictionary = ["x"];
  let runs = 0;
  let slowest = 0;
  let measuring = 0;

  /** Whether the last run reached something new. */
  const isNew = () => {
    let found = false;
    for (let index = 0; index < count; index++) {
      const times = counters[index];
      if (times === 0) continue;
      const kind = CLASSES[Math.min(times, 255)];
      if ((seen[index] & kind) !== kind) {
        seen[index] |= kind;
        found = true;
      }
    }
    counters.fill(0);
    return found;
  };
  const keep = (input) => {
    kept.push({ input, picked: 0 });
    texts.push(input.toString("latin1"));
    dictionary = sources
      .filter(({ from, blocks }) => seen.subarray(from, from + blocks).some(Boolean))
      .flatMap(({ tokens }) => tokens.map((text) => Buffer.from(text).toString("latin1")));
    if (dictionary.length === 0) dictionary = ["x"];
  };
  const attempt = async (input) => {
    runs++;
    const begun = performance.now();
    const failure = await failureOf({ input });
    slowest = Math.max(slowest, performance.now() - begun);
    return failure;
  };

  // Code that modules ran while loading is not reached by inputs.
  counters.fill(0);
  for (const { input: bytes, range } of [...seeds, ...moreSeeds().map((input) => ({ input }))]) {
    const input = Buffer.from(bytes);
    const failure = range ? await failureOf({ input, range }) : await attempt(input);
    if (failure) return { failure, input, range };
    if (isNew() || kept.length === 0) keep(input);
  }
  if (kept.length === 0) keep(Buffer.from(""));
  const mutate = mutatorOf(random, { dictionary: () => dictionary, others: () => texts, maxInput });
  const begun = performance.now();
  const initial = kept.length;
  while (performance.now() - begun < milliseconds) {
    const [one, two] = [pick(kept), pick(kept)];
    const parent = one.picked < two.picked ? one : two;
    parent.picked++;
    const input = mutate(parent.input);
    const failure = await attempt(input);
    if (failure) return { failure, input };
    if (isNew()) keep(input);
    const elapsed = performance.now() - begun;
    if (!grows || input.length === 0 || measuring > elapsed * GROWTH_SHARE) continue;
    const from = below(input.length);
    const range = [from, Math.min(input.length, from + 1 + below(12))];
    const slow = await failureOf({ input, range });
    if (slow) return { failure: slow, input, range };
    measuring += performance.now() - begun - elapsed;
    counters.fill(0);
  }
  return {
    runs,
    slowest,
    seconds: (performance.now() - begun) / 1_000,
    hits: seen,
    reached: seen.filter(Boolean).length,
    kept: kept
      .slice(initial)
      .map(({ input }) => input)
      .sort((a, b) => a.length - b.length),
  };
}

parentPort.on("message", async (request) => {
  const { input, range } = request;
  parentPort.postMessage(
    input === undefined
      ? await fuzzFor(request)
      : { failure: await failureOf({ input: Buffer.from(input), range }) },
  );
});
