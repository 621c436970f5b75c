import { withoutForbidden } from "../../core/text/escape.ts";
import { redactSecrets } from "../../engines/storage/redact-secrets.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";

/** The limit of one piece of evidence; reasons are cut at the same length. */
const MOST = 2_000;

/** The end of an output as evidence or as a reason: plain, without passwords, bounded. */
export function storedText(text: string): string {
  const plain = text
    .replace(/\r\n?/g, "\n")
    .split("\n")
    .map((line) => withoutForbidden(line.replaceAll("\t", "  ")).trimEnd())
    .join("\n")
    .trim();
  const safe = redactSecrets(plain);
  return safe.length <= MOST ? safe : `…${safe.slice(1 - MOST)}`;
}

/** Why an attempt failed, from whatever the handler threw. */
export function reasonOf(error: unknown): string {
  return storedText(redactedMessage(error)) || "The handler failed without a message.";
}
