import { median } from "../measure.mjs";
import { runNode } from "./process.mjs";

/**
 * The median milliseconds of each command, or the reason why there is none; run in turns so that
 * all see the same machine.
 */
export async function inTurns(commands, rounds) {
  const times = new Map(Object.keys(commands).map((name) => [name, []]));
  const failures = new Map();
  for (let round = 0; round < rounds; round++)
    for (const [name, { args, says = "", ...place }] of Object.entries(commands)) {
      if (failures.has(name)) continue;
      const { taken, stdout, failure } = await runNode(args, place);
      if (failure) failures.set(name, failure);
      else if (!stdout.includes(says)) failures.set(name, "did not return the expected answer");
      else times.get(name).push(taken);
    }
  return {
    ms: (name) => median(times.get(name)),
    /** Ratio to another command of the same run. */
    ratio: (name, base) =>
      failures.get(name) ?? `${(median(times.get(name)) / median(times.get(base))).toFixed(2)} x`,
  };
}
