import type { Identity } from "../identity.ts";

export const identity = {
  id: "kilo",
  name: "Kilo Code",
  code: "kl",
  basis: "Kilo CLI 7.7.9",
  resumeCommand: "kilo --session SESSION",
  clients: ["kilo"],
} satisfies Identity;
