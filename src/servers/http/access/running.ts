import { loadOrCreateToken, newToken, readRunning } from "../../../home/server.ts";
import { serverProof } from "./access.ts";
import { PROOF_PATH } from "./sign-in.ts";

/** The server of a Waymark home that is running. */
export interface RunningServer {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  /** A one-time link that signs in one browser. */
  readonly signInUrl: string;
}

const TIMEOUT = 2_000;

/** Finds the server that runs on this home and checks that it knows our token. Its link opens `to` on the page. */
export async function findRunning(home: string, to?: string): Promise<RunningServer | undefined> {
  const running = readRunning(home);
  if (!running) return undefined;
  const token = loadOrCreateToken(home);
  try {
    if (!(await isProven(running.url, token))) return undefined;
    const codes = new URL("/api/codes", running.url);
    if (to !== undefined) codes.searchParams.set("to", to);
    const answer = await fetch(codes, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(TIMEOUT),
    });
    const { url } = (await answer.json()) as { url?: unknown };
    if (!answer.ok || typeof url !== "string") return undefined;
    return { ...running, token, signInUrl: url };
  } catch {
    // The server was killed, or another program has its port now.
    return undefined;
  }
}

async function isProven(url: string, token: string): Promise<boolean> {
  const challenge = newToken();
  const answer = await fetch(new URL(`${PROOF_PATH}?challenge=${challenge}`, url), {
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT),
  });
  const { proof } = (await answer.json()) as { proof?: unknown };
  return proof === serverProof(token, challenge, Number(new URL(url).port));
}
