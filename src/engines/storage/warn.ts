import { errorMessage } from "../../core/error.ts";
import { withoutSecrets } from "./own-secrets.ts";

/** Told of what went wrong beside the work: the work itself stands. */
export type Warn = (message: string) => void;

/** A library has no log of its own; what nobody asked to hear must still not be silent. */
export const warnOnConsole: Warn = (message) => console.warn(`waymark: ${withoutSecrets(message)}`);

/** The message of any thrown value, without passwords. Use it for all text that is printed, logged or sent. */
export function redactedMessage(error: unknown): string {
  return withoutSecrets(errorMessage(error));
}
