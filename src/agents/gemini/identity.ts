import type { Identity } from "../identity.ts";

export const identity = {
  id: "gemini",
  name: "Gemini CLI",
  code: "gm",
  basis: "Gemini CLI 0.61.0",
  color: { terminal: { dark: 141, light: 62 }, page: { dark: "#b8a2fa", light: "#6e45cf" } },
  shortName: "gemini",
  command: "gemini",
  resumeCommand: "gemini --resume SESSION",
  clients: ["gemini-cli"],
  sessionVariable: "GEMINI_SESSION_ID",
  support: { guide: "gemini-cli", subagents: true, needsYou: ["hooks"] },
} satisfies Identity;
