import { createHmac, randomBytes } from "node:crypto";

/** Sends the code of a sign-in link, as the sign-in page does. */
export function signInBy(link: string): Promise<Response> {
  const { origin, pathname, hash } = new URL(link);
  const [code] = hash.slice(1).split("?to=");
  return fetch(origin + pathname, {
    method: "POST",
    headers: { origin, "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
}

export interface Key {
  readonly key: string;
  readonly until: number;
}

/** The token of a page with this key, computed independently of the server's code. */
export async function pageToken(url: string, { key, until }: Key): Promise<string> {
  const challenge = randomBytes(32).toString("base64url");
  const answer = await fetch(new URL(`/session?until=${until}&challenge=${challenge}`, url));
  const { era, proofs } = (await answer.json()) as { era: string; proofs: string[] };
  const sign = (text: string) =>
    createHmac("sha256", Buffer.from(key, "hex")).update(text).digest("hex");
  if (proofs[0] !== sign(`server:${era}:${challenge}`))
    throw new Error("The server's proof is wrong.");
  return `${until}.${sign(`page:${era}`)}`;
}

/** Signs in with a one-time link. Returns the headers that a page then sends. */
export async function pageHeadersBy(opening: string): Promise<{ authorization: string }> {
  const entered = await signInBy(opening);
  const token = await pageToken(opening, (await entered.json()) as Key);
  return { authorization: `Bearer ${token}` };
}
