import type { Identity } from "../identity.ts";

export const identity = {
  id: "agent-chatter",
  name: "agent-chatter",
  code: "at",
  proof: "its design document, never run",
} satisfies Identity;
