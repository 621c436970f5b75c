/** `node:crypto`: hashes are real, random numbers come from the seed. */
export { createHash } from "node:crypto";
export { randomBytes, randomUUID } from "./random-values.ts";
