import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import {
  type KeyAnswer,
  pageText,
  type SessionAnswer,
  serverText,
} from "../../../core/page-session.ts";

/** Access control: programs send the token, pages prove that they have a key (`core/page-session.ts`). */
export interface Access {
  readonly token: string;
  /** A code that opens the door once. */
  newCode(): string;
  /** Uses a code up. Old codes are remembered for a while, so that the refusal can say what is wrong. */
  spend(code: string, now: number): Spent;
  /** A key for the pages of one browser on this port. */
  issueKey(port: number): KeyAnswer;
  /** Proves to a page which of its keys this server issued. */
  greet(port: number, untils: readonly number[], challenge: string): SessionAnswer;
  visitorOf(bearer: string, port: number): Visitor | undefined;
}

/** A page that is signed in, or a program that has the token. */
export type Visitor = "page" | "program";

export type Spent = "ok" | "used" | "expired" | "unknown";

/** A browser that was told to open a page does so within a minute, or somebody else has the link. */
export const CODE_LIFE = 60_000;
const MAX_CODES = 16;
/** Milliseconds that a browser stays signed in. */
const KEY_LIFE = 30 * 24 * 60 * 60_000;
/** Codes that are remembered after their use, as digests. */
const MAX_PAST = 256;

/**
 * What only who has the token can answer to a challenge. A client asks for it before it shows the token: the
 * port of a server that ended may be somebody else's. It holds for one port, so that nobody can have it
 * answered elsewhere.
 */
export function serverProof(token: string, challenge: string, port: number): string {
  return hmac(token, `server:${port}:${challenge}`).toString("base64url");
}

export function openAccess(token: string, clock: () => number = Date.now): Access {
  const era = randomBytes(16).toString("hex");
  // Made from the token whenever it is needed: the server stores no keys, and a new token ends every session.
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
    spend(code, now) {
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
    greet: (port, untils, challenge) => ({
      era,
      proofs: untils.map((until) =>
        hmac(keyOf(port, until), serverText(era, challenge)).toString("hex"),
      ),
    }),
    visitorOf(bearer, port) {
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

/** Takes the same time wherever the two differ. */
function isSame(given: string, known: string): boolean {
  return timingSafeEqual(digest(given), digest(known));
}
