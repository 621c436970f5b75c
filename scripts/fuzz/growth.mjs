// Measures whether the time of a function grows faster than its input.

const SIZES = [1 << 14, 1 << 16];
/** Times below this say nothing. */
const FLOOR_MS = 30;
/** Four times the input may take this much longer. */
const MAX_RATIO = 8;
const ATTEMPTS = 4;

/** The input with bytes `from` to `to` repeated until it has `size` bytes. */
function grown(input, [from, to], size) {
  const part = input.subarray(from, to);
  const times = Math.ceil(Math.max(0, size - input.length) / part.length) + 1;
  const repeated = Buffer.alloc(times * part.length, part);
  return Buffer.concat([input.subarray(0, from), repeated, input.subarray(to)]);
}

/** Why `run` is too slow on inputs that repeat bytes `from` to `to`, or why it fails on them. */
export async function failureOfGrowth(run, input, range) {
  const [short, long] = SIZES.map((size) => grown(input, range, size));
  const timeOf = async (bytes) => {
    const { user } = process.cpuUsage();
    const begun = performance.now();
    const failure = await run(bytes);
    // The shorter of both: other threads use processor time, other processes take it away.
    const used = (process.cpuUsage().user - user) / 1_000;
    return { failure, used: Math.min(performance.now() - begun, used) };
  };
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { failure, used } = await timeOf(long);
    if (failure !== undefined) return failure;
    if (used < FLOOR_MS) return undefined;
    least = Math.min(least, used / Math.max((await timeOf(short)).used, 0.1));
    if (least < MAX_RATIO) return undefined;
  }
  const part = JSON.stringify(input.subarray(...range).toString());
  return `four times the input takes ${least.toFixed(1)} times as long, repeating ${part}`;
}

const NAME = /\.repeat-(\d+)-(\d+)$/;

/** The range that the name of a corpus file asks to repeat. */
export function rangeOf(name) {
  const found = NAME.exec(name);
  return found ? [Number(found[1]), Number(found[2])] : undefined;
}
