import {
  pageText,
  SESSION_PATH,
  type SessionAnswer,
  serverText,
} from "../../../core/page-session.ts";
import { bytesOf, keptKeys } from "./page-key.ts";

/** This browser has no key that the server at this address accepts. */
export class SignedOut extends Error {}

/** Milliseconds that the server may take to prove itself. */
const PATIENCE = 15_000;

let bearer: string | undefined;
let proving: Promise<string> | undefined;

/** Throws `SignedOut`, or what `fetch` throws if the server does not answer. */
export async function signIn(): Promise<void> {
  await newBearer();
}

/** The server is away: the one that answers next has to prove itself before it gets anything. */
export function forgetServer(): void {
  bearer = undefined;
}

/** Like `fetch`, as a page that is signed in. */
export async function fetchSigned(path: string, init: RequestInit = {}): Promise<Response> {
  const send = (token: string) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${token}`);
    return fetch(path, { ...init, headers });
  };
  // Without a pause if it can be: what a page sends as it is closed has to go at once.
  const answer = await send(bearer ?? (await newBearer()));
  // The server was restarted since.
  return answer.status === 401 ? send(await newBearer()) : answer;
}

/** Of several that ask at the same time, one asks the server. */
function newBearer(): Promise<string> {
  proving ??= prove()
    .then((token) => {
      bearer = token;
      return token;
    })
    .finally(() => {
      proving = undefined;
    });
  return proving;
}

/**
 * Lets the server prove that it issued the key, then makes this page's token, which holds until the server ends. The key
 * itself stays here: the port of a server that ended may be another program's.
 */
async function prove(): Promise<string> {
  const keys = await keptKeys();
  if (keys.length === 0) throw new SignedOut();
  const challenge = newChallenge();
  const untils = keys.map(({ until }) => `&until=${until}`).join("");
  const answer = await fetch(`${SESSION_PATH}?challenge=${challenge}${untils}`, {
    cache: "no-store",
    signal: AbortSignal.timeout(PATIENCE),
  });
  const { era, proofs } = await sessionIn(answer);
  const expected = new TextEncoder().encode(serverText(era, challenge));
  for (const [place, { key, until }] of keys.entries()) {
    const proof = bytesOf(proofs[place] ?? "");
    const isProven = await crypto.subtle.verify("HMAC", key, proof, expected);
    if (!isProven) continue;
    const signed = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(pageText(era)));
    return `${until}.${hexOf(new Uint8Array(signed))}`;
  }
  throw new SignedOut();
}

/** Another program may answer anything. */
async function sessionIn(answer: Response): Promise<SessionAnswer> {
  const { era, proofs } = await answer.json().catch(() => ({}));
  const isSession =
    answer.ok &&
    typeof era === "string" &&
    Array.isArray(proofs) &&
    proofs.every((each) => typeof each === "string");
  if (!isSession) throw new SignedOut();
  return { era, proofs };
}

/** 43 characters that were never used before. */
function newChallenge(): string {
  return hexOf(crypto.getRandomValues(new Uint8Array(22))).slice(0, 43);
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
