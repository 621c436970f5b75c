/**
 * A word that no other process is likely to use now. Names need to differ, not to be secret, and
 * loading the cryptography for them is a good part of what starting the program costs.
 */
export function uniqueWord(): string {
  return Math.random().toString(36).slice(2).padEnd(11, "0");
}
