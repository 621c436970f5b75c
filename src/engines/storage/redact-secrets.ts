import { redactMessage } from "../../core/text/redact.ts";

const remembered = new Set<string>();
const MOST_REMEMBERED = 100;

/** Values of configuration files, which may contain passwords like those of the environment. */
export function rememberSecrets(values: readonly string[]): void {
  for (const value of values) if (remembered.size < MOST_REMEMBERED) remembered.add(value);
}

/**
 * Removes passwords from a message for a terminal, a log or an agent: those of the arguments, of
 * Waymark's environment variables and configuration files, and of any connection string.
 */
export function redactSecrets(message: string): string {
  const variables = Object.keys(process.env).filter((name) => name.startsWith("WAYMARK_"));
  const values = variables.map((name) => process.env[name] ?? "");
  return redactMessage(message, [...process.argv.slice(2), ...values, ...remembered]);
}

/** Redacts every string field of a refusal. */
export function redactRefusal<T extends object>(refusal: T): T {
  const fields = Object.entries(refusal).map(([name, value]) => [
    name,
    typeof value === "string" ? redactSecrets(value) : value,
  ]);
  return Object.fromEntries(fields) as T;
}
