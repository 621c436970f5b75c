import type { Identity } from "../identity.ts";

export const identity = {
  id: "hermes",
  name: "Hermes",
  code: "hm",
  basis: "parts of its source; never run",
} satisfies Identity;
