/** Seven times the default; newer versions count calls instead and have another compiler in between. */
const BUDGET = ["--interrupt-budget=1000000"];
const COUNTS = ["--invocation-count-for-turbofan=21000", "--invocation-count-for-maglev=2800"];

/** By version of Node: V8 prints a warning for an unknown flag. */
const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  20: BUDGET,
  22: COUNTS,
  24: COUNTS,
  26: COUNTS,
};

/**
 * For a program that reads a lot once and then ends: optimizing code that runs so briefly costs more
 * than it saves, a quarter of the CPU time of a first scan. Affects all threads. Node's precompiled code
 * is rejected afterwards, so a thread that starts later takes twice as long to start.
 */
export function reduceOptimization(): void {
  const [version = ""] = process.versions.node.split(".");
  const { setFlagsFromString } = process.getBuiltinModule("node:v8");
  for (const setting of SETTINGS[version] ?? []) setFlagsFromString(setting);
}
