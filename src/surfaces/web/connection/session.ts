import {
  pageText,
  SESSION_PATH,
  type SessionResponse,
  serverText,
} from "../../../core/page-session.ts";
import { bytesOf, storedKeys } from "./page-key.ts";

/** This browser has no key that the server at this address accepts. */
export class SignedOut extends Error {}

/** Milliseconds for the server to prove that it issued the key. */
const TIMEOUT_MS = 15_000;

let bearer: string | undefined;
let proving: Promise<string> | undefined;

/** Throws `SignedOut`, or the error of `fetch` if the server is unreachable. */
export async function signIn(): Promise<void> {
  await newBearer();
}

/** Call when the connection was lost: the next server must prove itself before it receives a token. */
export function forgetServer(): void {
  bearer = undefined;
}

/** `fetch` with the bearer token of this page. */
export async function fetchSigned(path: string, init: RequestInit = {}): Promise<Response> {
  const send = (token: string) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${token}`);
    return fetch(path, { ...init, headers });
  };
  // Sent synchronously if there is a token: a page that is being closed cannot wait.
  const answer = await send(bearer ?? (await newBearer()));
  // The server was restarted.
  return answer.status === 401 ? send(await newBearer()) : answer;
}

/** Concurrent callers share one request. */
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
 * Verifies that the server issued the key, then derives this page's token, which is valid until the server stops. The
 * key is never sent: another program may own the port of a stopped server.
 */
async function prove(): Promise<string> {
  const keys = await storedKeys();
  if (keys.length === 0) throw new SignedOut();
  const challenge = newChallenge();
  const untils = keys.map(({ until }) => `&until=${until}`).join("");
  const answer = await fetch(`${SESSION_PATH}?challenge=${challenge}${untils}`, {
    cache: "no-store",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const { era, proofs } = await sessionIn(answer);
  const expected = new TextEncoder().encode(serverText(era, challenge));
  for (const [index, { key, until }] of keys.entries()) {
    const proof = bytesOf(proofs[index] ?? "");
    const isProven = await crypto.subtle.verify("HMAC", key, proof, expected);
    if (!isProven) continue;
    const signed = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(pageText(era)));
    return `${until}.${hexOf(new Uint8Array(signed))}`;
  }
  throw new SignedOut();
}

/** Validates the response, which may come from another program. */
async function sessionIn(answer: Response): Promise<SessionResponse> {
  const { era, proofs } = await answer.json().catch(() => ({}));
  const isSession =
    answer.ok &&
    typeof era === "string" &&
    Array.isArray(proofs) &&
    proofs.every((each) => typeof each === "string");
  if (!isSession) throw new SignedOut();
  return { era, proofs };
}

/** 43 random characters. */
function newChallenge(): string {
  return hexOf(crypto.getRandomValues(new Uint8Array(22))).slice(0, 43);
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
