import { errorMessage } from "../../core/error.ts";
import { redactSecrets } from "./redact-secrets.ts";

/** Receives problems that did not make the operation fail. */
export type Warn = (message: string) => void;

/** The default: a library has no log of its own, but its warnings must not be silent. */
export const warnOnConsole: Warn = (message) => console.warn(`waymark: ${redactSecrets(message)}`);

/** The message of any thrown value, without passwords. Use it for all text that is printed, logged or sent. */
export function redactedMessage(error: unknown): string {
  return redactSecrets(errorMessage(error));
}
