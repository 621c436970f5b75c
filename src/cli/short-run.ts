import type { Discovered } from "../follow/discover.ts";
import type { Index } from "../follow/index-file.ts";

/** Bytes that take longer to be read than V8 waits before it optimises. */
const MUCH = 64 * 1024 * 1024;
/** Seven times what it is by default. */
const BUDGET = 1_000_000;

/**
 * For a command that reads a lot once and then ends. Its code runs so briefly that to optimise it
 * costs more than it saves: a quarter of the processor time of a first reading, on the cores that
 * the reading needs. A program that goes on must not call this.
 */
export function prepareShortRun({ sources }: Pick<Discovered, "sources">, index: Index): void {
  const size = sources.reduce((sum, { path, size }) => sum + (index.has(path) ? 0 : size), 0);
  if (size < MUCH) return;
  process.getBuiltinModule("node:v8").setFlagsFromString(`--interrupt-budget=${BUDGET}`);
}
