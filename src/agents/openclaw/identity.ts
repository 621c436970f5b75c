import type { Identity } from "../identity.ts";

export const identity = {
  id: "openclaw",
  name: "OpenClaw",
  code: "ow",
  basis: "the source of its list tool; never run",
} satisfies Identity;
