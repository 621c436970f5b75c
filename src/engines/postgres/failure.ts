import { WaymarkError } from "../../core/error.ts";
import { isClearUrl, redactUrl } from "../../core/text/redact.ts";
import { redactedMessage } from "../storage/warn.ts";

function codeOf(error: unknown): string {
  return String((error as { code?: string } | undefined)?.code ?? "");
}

/** Another transaction was in the way; the same again will do. */
export function isConflict(error: unknown): boolean {
  // Serialization failure, deadlock, lock not available; a key or a ref that somebody just used.
  return ["40001", "40P01", "55P03", "23505"].includes(codeOf(error));
}

const LOST = new Set([
  "ECONNRESET",
  "ECONNREFUSED",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "57P01",
  "57P02",
  "57P03",
  "57P05",
  "53300",
  "25006",
]);

/** The server, or the way to it, was gone: whether the last statement took effect is unknown. */
export function isLost(error: unknown): boolean {
  const code = codeOf(error);
  if (LOST.has(code) || code.startsWith("08")) return true;
  if (error instanceof AggregateError) return error.errors.some(isLost);
  return /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error/i.test(
    redactedMessage(error),
  );
}

/** Says what the server could not do, where, and the way out. What is no word of the server's stays. */
export function postgresFailure(url: string, error: unknown): unknown {
  const code = codeOf(error);
  if (error instanceof WaymarkError || (code === "" && !isLost(error))) return error;
  const cause = { cause: error };
  // The reason names host, user and database as the driver read them; in an unclear URL those may be parts of the password.
  const reason = (isClearUrl(url) && redactedMessage(error)) || code;
  const where = redactUrl(url);
  if (code === "25006")
    return new WaymarkError(
      "store_read_only",
      `The server ${where} takes no writes now (${reason}). Nothing was acknowledged.`,
      cause,
    );
  if (code === "53300")
    return new WaymarkError(
      "store_busy",
      `The server ${where} has no connection left for us (${reason}). Nothing was acknowledged; try again, let ` +
        "fewer programs use it, or raise its max_connections.",
      cause,
    );
  if (code === "57014")
    return new WaymarkError(
      "store_busy",
      `The server ${where} took too long (${reason}). Nothing was written; try again, or look for a transaction that ` +
        "somebody left open.",
      cause,
    );
  if (isLost(error))
    return new WaymarkError(
      "store_unreachable",
      `The server ${where} cannot be reached (${reason}). Check that it runs and that the URL is right.`,
      cause,
    );
  if (code.startsWith("28"))
    return new WaymarkError(
      "store_refused",
      `The server ${where} does not let us in (${reason}). Check user and password of the URL.`,
      cause,
    );
  if (code === "3D000")
    return new WaymarkError(
      "store_refused",
      `The server ${where} has no such database (${reason}). Make it first: createdb NAME.`,
      cause,
    );
  if (code === "42501")
    return new WaymarkError(
      "store_refused",
      `The user of ${where} may not do that (${reason}). Run Waymark once as the owner of the schema waymark, which creates or ` +
        "upgrades it, and grant this user the rights in docs/team.md.",
      cause,
    );
  return new WaymarkError("store_failed", `The server ${where} failed: ${reason}`, cause);
}
