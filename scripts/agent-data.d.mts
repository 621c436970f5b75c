/** Writes the generated files that are out of date. Returns their paths. */
export function writeAgentFiles(
  root: string,
  options?: { readonly check?: boolean },
): Promise<readonly string[]>;
