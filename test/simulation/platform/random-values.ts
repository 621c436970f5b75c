import { context } from "../context.ts";

/** The random parts of `node:crypto`, from the seed. */
const hex = (length: number): string =>
  Array.from({ length }, () => context().random.below(16).toString(16)).join("");

export function randomUUID(): string {
  return `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;
}

export function randomBytes(length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => context().random.below(256)));
}

export function getRandomValues<T extends Uint32Array | Uint8Array>(into: T): T {
  for (let index = 0; index < into.length; index++) into[index] = context().random.below(2 ** 32);
  return into;
}
