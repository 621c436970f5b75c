/**
 * How a page and the server recognize each other. At sign-in the page receives a key, which holds for one port and
 * until a fixed time, and never sends it again. Both sides prove that they have it with an HMAC (SHA-256, as hex) over
 * the texts below. The era is random and new with every start of the server, so a proof is worthless after a restart.
 */

/** What `POST /open` answers to a valid code. */
export interface KeyAnswer {
  /** 32 bytes as hex. */
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** What `GET /session?until=…&challenge=…` answers. */
export interface SessionAnswer {
  readonly era: string;
  /** The HMAC of `serverText`: only a server that issued the key can make it. */
  readonly proof: string;
}

export const SESSION_PATH = "/session";

export function serverText(era: string, challenge: string): string {
  return `server:${era}:${challenge}`;
}

/** The HMAC of this text, behind the time the key expires, is the page's bearer token. */
export function pageText(era: string): string {
  return `page:${era}`;
}
