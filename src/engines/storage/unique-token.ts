/**
 * A token that no other process is likely to use. It must be unique, not secret: loading node:crypto
 * would be a good part of the program's startup time.
 */
export function uniqueToken(): string {
  return Math.random().toString(36).slice(2).padEnd(11, "0");
}
