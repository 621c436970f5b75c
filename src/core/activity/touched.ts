import { absolutePath } from "../files/paths.ts";

/** A file that the agent edited, and when it last did. */
export interface TouchedFile {
  readonly path: string;
  readonly at: number;
}

const MAX_TOUCHED = 40;

/** The edited files after one more edit, the most recent last. */
export function touchedAfter(
  known: readonly TouchedFile[] | undefined,
  paths: readonly string[],
  cwd: string | undefined,
  at: number,
): readonly TouchedFile[] {
  const own = paths.map((path) => absolutePath(path, cwd));
  const others = (known ?? []).filter(({ path }) => !own.includes(path));
  return [...others, ...own.map((path) => ({ path, at }))].slice(-MAX_TOUCHED);
}
