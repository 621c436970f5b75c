import { WaymarkError } from "../../core/error.ts";
import { isClearUrl, redactUrl } from "../../core/text/redact.ts";
import { redactedMessage } from "../storage/warn.ts";

function codeOf(error: unknown): string {
  return String((error as { code?: string } | undefined)?.code ?? "");
}

/** Whether a conflict with another transaction made it fail: a retry can succeed. */
export function isConflict(error: unknown): boolean {
  // Serialization failure, deadlock, lock not available; a key or ref that was just inserted.
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

/** Whether the connection to the server was lost: it is unknown whether the last statement took effect. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  if (LOST.has(code) || code.startsWith("08")) return true;
  if (error instanceof AggregateError) return error.errors.some(isConnectionLost);
  return /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error/i.test(
    redactedMessage(error),
  );
}

/** Maps an error of the server to a WaymarkError that says what failed, where, and what to do. Others are returned as they are. */
export function postgresFailure(url: string, error: unknown): unknown {
  const code = codeOf(error);
  if (error instanceof WaymarkError || (code === "" && !isConnectionLost(error))) return error;
  const cause = { cause: error };
  // The reason names host, user and database as the driver read them; in an unclear URL those may be parts of the password.
  const reason = (isClearUrl(url) && redactedMessage(error)) || code;
  const where = redactUrl(url);
  if (code === "25006")
    return new WaymarkError(
      "store_read_only",
      `The server ${where} is read-only (${reason}). Nothing was acknowledged.`,
      cause,
    );
  if (code === "53300")
    return new WaymarkError(
      "store_busy",
      `The server ${where} has no free connection (${reason}). Nothing was acknowledged; try again, close other ` +
        "programs that use it, or raise its max_connections.",
      cause,
    );
  if (code === "57014")
    return new WaymarkError(
      "store_busy",
      `The server ${where} took too long (${reason}). Nothing was written; try again, or look for a transaction that ` +
        "was left open.",
      cause,
    );
  if (isConnectionLost(error))
    return new WaymarkError(
      "store_unreachable",
      `The server ${where} cannot be reached (${reason}). Check that it is running and that the URL is right.`,
      cause,
    );
  if (code.startsWith("28"))
    return new WaymarkError(
      "store_refused",
      `The server ${where} refused the login (${reason}). Check the user and password in the URL.`,
      cause,
    );
  if (code === "3D000")
    return new WaymarkError(
      "store_refused",
      `The server ${where} has no such database (${reason}). Create it first: createdb NAME.`,
      cause,
    );
  if (code === "42501")
    return new WaymarkError(
      "store_refused",
      `The user of ${where} lacks a privilege (${reason}). Run Waymark once as the owner of the schema waymark, which creates or ` +
        "upgrades it, and grant this user the privileges in docs/guides/several-machines.md.",
      cause,
    );
  return new WaymarkError("store_failed", `The server ${where} failed: ${reason}`, cause);
}
