import { createHmac } from "node:crypto";
import type { Key } from "./sign-in.ts";

/** The token of a page with this key, computed independently of the page's code. */
export function pageToken({ key, until }: Key, era: string): string {
  const proof = createHmac("sha256", Buffer.from(key, "hex")).update(`page:${era}`);
  return `${until}.${proof.digest("hex")}`;
}
