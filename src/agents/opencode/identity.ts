import type { Identity } from "../identity.ts";

export const identity = {
  id: "opencode",
  name: "opencode",
  code: "oc",
  basis: "opencode 1.1.65, 1.3.2 and 1.18.33",
  color: { terminal: { dark: 175, light: 126 }, page: { dark: "#ee93c3", light: "#a82b74" } },
  shortName: "opencode",
  command: "opencode",
  resumeCommand: "opencode --session SESSION",
  clients: ["opencode"],
  support: { guide: "opencode", subagents: true, needsYou: ["hooks"] },
} satisfies Identity;
