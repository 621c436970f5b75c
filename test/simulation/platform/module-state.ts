const resets: (() => void)[] = [];

/** The bundle calls it for each module with variables: they survive a seed, but no process does. */
export function onReset(reset: () => void): void {
  resets.push(reset);
}

export function resetModules(): void {
  for (const reset of resets) reset();
}
