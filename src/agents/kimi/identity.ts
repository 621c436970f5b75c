import type { Identity } from "../identity.ts";

export const identity = {
  id: "kimi",
  name: "Kimi Code",
  code: "km",
  basis: "Kimi Code 2.1.0; its predecessor Kimi CLI by its documentation",
  shortName: "kimi",
  command: "kimi",
  resumeCommand: "kimi --session SESSION",
  clients: ["kimi-code"],
  support: { guide: "kimi-code", subagents: true, needsYou: ["hooks", "session files"] },
} satisfies Identity;
