import type { Identity } from "../identity.ts";

export const identity = {
  id: "agent-chatter",
  name: "agent-chatter",
  code: "at",
  basis: "its design document, never run",
} satisfies Identity;
