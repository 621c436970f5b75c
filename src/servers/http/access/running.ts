import { keptToken, newToken, readRunning } from "../../../home/server.ts";
import { serverProof } from "./access.ts";
import { PROOF } from "./opening.ts";

/** A server that runs on this home. */
export interface RunningServer {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  /** A one-time link that signs one browser in. */
  readonly opening: string;
}

const PATIENCE = 2_000;

/** The server that runs on this home, if it proves that it knows our token; its link opens `to` on the page. */
export async function findRunning(home: string, to?: string): Promise<RunningServer | undefined> {
  const running = readRunning(home);
  if (!running) return undefined;
  const token = keptToken(home);
  try {
    if (!(await isProven(running.url, token))) return undefined;
    const codes = new URL("/api/codes", running.url);
    if (to !== undefined) codes.searchParams.set("to", to);
    const answer = await fetch(codes, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(PATIENCE),
    });
    const { url } = (await answer.json()) as { url?: unknown };
    if (!answer.ok || typeof url !== "string") return undefined;
    return { ...running, token, opening: url };
  } catch {
    // The server ended without a trace, or another program has its port now.
    return undefined;
  }
}

async function isProven(url: string, token: string): Promise<boolean> {
  const challenge = newToken();
  const answer = await fetch(new URL(`${PROOF}?challenge=${challenge}`, url), {
    redirect: "error",
    signal: AbortSignal.timeout(PATIENCE),
  });
  const { proof } = (await answer.json()) as { proof?: unknown };
  return proof === serverProof(token, challenge, Number(new URL(url).port));
}
