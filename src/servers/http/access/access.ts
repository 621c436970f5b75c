import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import {
  type KeyResponse,
  pageText,
  type SessionResponse,
  serverText,
} from "../../../core/page-session.ts";

/** Access control: programs send the token, pages prove that they have a key (`core/page-session.ts`). */
export interface Access {
  readonly token: string;
  /** Creates a one-time sign-in code. */
  newCode(): string;
  /** Redeems a code. Old codes are remembered for a while, so that the error can say what is wrong. */
  redeem(code: string, now: number): CodeResult;
  /** Issues a key for the pages of one browser on this port. */
  issueKey(port: number): KeyResponse;
  /** Proves to a page which of its keys this server issued. */
  proveTo(port: number, untils: readonly number[], challenge: string): SessionResponse;
  clientOf(bearer: string, port: number): Client | undefined;
}

/** A signed-in page, or a program with the token. */
export type Client = "page" | "program";

export type CodeResult = "ok" | "used" | "expired" | "unknown";

/** Milliseconds that a sign-in code is valid: long enough for a browser to open the link. */
export const CODE_LIFE = 60_000;
const MAX_CODES = 16;
/** Milliseconds that a browser stays signed in. */
const KEY_LIFE = 30 * 24 * 60 * 60_000;
/** How many old codes are remembered, as digests. */
const MAX_PAST = 256;

/**
 * Proves that the server knows the token. A client requests the proof before it sends the token, because another
 * program may have taken the port of a server that ended. A proof is valid for one port, so it cannot be relayed from
 * a server on another port.
 */
export function serverProof(token: string, challenge: string, port: number): string {
  return hmac(token, `server:${port}:${challenge}`).toString("base64url");
}

export function openAccess(token: string, clock: () => number = Date.now): Access {
  const era = randomBytes(16).toString("hex");
  // Derived from the token when needed: the server stores no keys, and a new token ends every session.
  const keyOf = (port: number, until: number) => hmac(token, `page:${port}:${until}`);
  const codes = new Map<string, number>();
  const past = new Map<string, "used" | "expired">();
  const retire = (code: string, why: "used" | "expired"): void => {
    codes.delete(code);
    past.set(digest(code).toString("hex"), why);
    const [oldest] = past.keys();
    if (past.size > MAX_PAST && oldest !== undefined) past.delete(oldest);
  };
  return {
    token,
    newCode() {
      const code = randomBytes(24).toString("base64url");
      codes.set(code, clock() + CODE_LIFE);
      const [oldest] = codes.keys();
      if (codes.size > MAX_CODES && oldest !== undefined) retire(oldest, "expired");
      return code;
    },
    redeem(code, now) {
      const until = codes.get(code);
      if (until === undefined) return past.get(digest(code).toString("hex")) ?? "unknown";
      retire(code, now <= until ? "used" : "expired");
      return now <= until ? "ok" : "expired";
    },
    issueKey(port) {
      const until = clock() + KEY_LIFE;
      const server = hmac(token, "name").toString("hex").slice(0, 16);
      return { server, key: keyOf(port, until).toString("hex"), until };
    },
    proveTo: (port, untils, challenge) => ({
      era,
      proofs: untils.map((until) =>
        hmac(keyOf(port, until), serverText(era, challenge)).toString("hex"),
      ),
    }),
    clientOf(bearer, port) {
      if (isSame(bearer, token)) return "program";
      const [, until = "", proof = ""] = /^(\d{1,16})\.([0-9a-f]{64})$/.exec(bearer) ?? [];
      if (!(Number(until) > clock())) return undefined;
      const expected = hmac(keyOf(port, Number(until)), pageText(era)).toString("hex");
      return isSame(proof, expected) ? "page" : undefined;
    },
  };
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Compares in constant time. */
function isSame(given: string, known: string): boolean {
  return timingSafeEqual(digest(given), digest(known));
}
