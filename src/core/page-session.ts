/**
 * How a page and the server recognize each other. At sign-in the page receives a key, which holds for one port and
 * until a fixed time, and never sends it again. Both sides prove that they have it with an HMAC (SHA-256, as hex) over
 * the texts below. The era is random and new with every start of the server, so a proof is worthless after a restart.
 */

/** The response to `POST /open` with a valid code. */
export interface KeyAnswer {
  /** Names the server, so that a browser keeps the keys of several that take turns on a port. */
  readonly server: string;
  /** 32 bytes as hex. */
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** What `GET /session?challenge=…&until=…&until=…` answers. */
export interface SessionAnswer {
  readonly era: string;
  /** For the key of each `until`, the HMAC of `serverText`: only a server that issued the key can make it. */
  readonly proofs: readonly string[];
}

export const SESSION_PATH = "/session";
/** Keys that a browser keeps for a port, and that a server proves itself for. */
export const MAX_KEYS = 8;

export function serverText(era: string, challenge: string): string {
  return `server:${era}:${challenge}`;
}

/** The HMAC of this text, behind the time the key expires, is the page's bearer token. */
export function pageText(era: string): string {
  return `page:${era}`;
}
