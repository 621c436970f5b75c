/**
 * How a page and the server authenticate each other. At sign-in the page receives a key, which is valid for one port and
 * until a fixed time, and never sends it again. Both sides prove possession of the key with an HMAC (SHA-256, as hex) over
 * the texts below. The era is random and changes with every start of the server, so a proof expires with a restart.
 */

/** The response to `POST /open` with a valid code. */
export interface KeyResponse {
  /** Identifies the server: a browser keeps the keys of several servers that use the same port in turn. */
  readonly server: string;
  /** 32 bytes as hex. */
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** The response of `GET /session?challenge=…&until=…&until=…`. */
export interface SessionResponse {
  readonly era: string;
  /** For the key of each `until`, the HMAC of `serverText`. Only the server that issued the key can compute it. */
  readonly proofs: readonly string[];
}

export const SESSION_PATH = "/session";
/** How many keys a browser keeps per port, and how many a server answers a challenge for. */
export const MAX_KEYS = 8;

export function serverText(era: string, challenge: string): string {
  return `server:${era}:${challenge}`;
}

/** The page's bearer token is the time at which the key expires, followed by the HMAC of this text. */
export function pageText(era: string): string {
  return `page:${era}`;
}
