/** Why a release of a checkout would be wrong. `git` returns the output of a git command. */
export function obstacles(checkout: {
  readonly read: (path: string) => string;
  readonly git: (...args: readonly string[]) => string;
  /** The tag that the release is made from, if any. */
  readonly tag?: string | undefined;
}): readonly string[];
