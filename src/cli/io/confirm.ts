import { readSync } from "node:fs";
import { writeBytes } from "./write-bytes.ts";

/** Asks on stderr and waits for a line on stdin, which must be a terminal. Only yes is yes. */
export function confirm(prompt: string): boolean {
  writeBytes(2, Buffer.from(prompt));
  const answer = Buffer.alloc(256);
  const length = readSync(0, answer, 0, answer.length, null);
  return /^\s*y(?:es)?\s*$/i.test(answer.toString("utf8", 0, length));
}
