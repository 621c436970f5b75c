/** Seven times what it is by default; newer versions count calls, and have a compiler in between. */
const BUDGET = ["--interrupt-budget=1000000"];
const COUNTS = ["--invocation-count-for-turbofan=21000", "--invocation-count-for-maglev=2800"];

/** By the version of Node. V8 complains on the terminal of a setting that it does not know. */
const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  20: BUDGET,
  22: COUNTS,
  24: COUNTS,
  26: COUNTS,
};

/**
 * For a program that reads a lot once and then ends. Its code runs so briefly that to optimise it
 * costs more than it saves: a quarter of the processor time of a first reading, on the cores that
 * the reading needs. It holds for all threads. What Node itself brings along compiled is refused
 * from then on, so that a thread that starts afterwards takes twice as long to get going.
 */
export function optimiseLess(): void {
  const [version = ""] = process.versions.node.split(".");
  const { setFlagsFromString } = process.getBuiltinModule("node:v8");
  for (const setting of SETTINGS[version] ?? []) setFlagsFromString(setting);
}
