import { redactMessage } from "../../core/text/redact.ts";

/**
 * A message of this process for a terminal, a log or an agent, without the passwords that it repeats
 * from the arguments, from Waymark's variables, or from anywhere else in the form of a connection string.
 */
export function withoutSecrets(message: string): string {
  const variables = Object.keys(process.env).filter((name) => name.startsWith("WAYMARK_"));
  const values = variables.map((name) => process.env[name] ?? "");
  return redactMessage(message, [...process.argv.slice(2), ...values]);
}

/** The same for each text of a refusal. */
export function refusalWithoutSecrets<T extends object>(refusal: T): T {
  const fields = Object.entries(refusal).map(([name, value]) => [
    name,
    typeof value === "string" ? withoutSecrets(value) : value,
  ]);
  return Object.fromEntries(fields) as T;
}
