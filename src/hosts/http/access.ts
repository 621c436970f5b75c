import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Who may come in: programs with the token, pages with the cookie that a one-time code became. */
export interface Access {
  readonly token: string;
  readonly cookieName: string;
  readonly cookie: string;
  /** A code that opens the door once. */
  newCode(): string;
  /** Uses a code up. Old codes are remembered for a while, so that the refusal can say what is wrong. */
  spend(code: string, now: number): Spent;
  isToken(given: string): boolean;
  isCookie(given: string): boolean;
}

export type Spent = "ok" | "used" | "expired" | "unknown";

/** A browser that was told to open a page does so within a minute, or somebody else has the link. */
export const CODE_LIFE = 60_000;
const MAX_CODES = 16;
/** Codes that are remembered after their use, as digests. */
const MAX_PAST = 256;

export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/**
 * What only who has the token can answer to a challenge. A client asks for it before it shows the token: the
 * port of a server that ended may be somebody else's. It holds for one port, so that nobody can have it
 * answered elsewhere.
 */
export function proofOf(token: string, challenge: string, port: number): string {
  return createHmac("sha256", token).update(`server:${port}:${challenge}`).digest("base64url");
}

export function openAccess(token: string, clock: () => number = Date.now): Access {
  const cookie = digest(`page:${token}`).toString("base64url");
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
    // Cookies do not tell ports apart; two servers must not throw out each other's pages.
    cookieName: `waymark-${digest(`name:${token}`).toString("hex").slice(0, 8)}`,
    cookie,
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
    isToken: (given) => isSame(given, token),
    isCookie: (given) => isSame(given, cookie),
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Takes the same time wherever the two differ. */
function isSame(given: string, known: string): boolean {
  return timingSafeEqual(digest(given), digest(known));
}
