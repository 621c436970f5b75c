import type { Identity } from "../identity.ts";

export const identity = {
  id: "qwen",
  name: "Qwen Code",
  code: "qw",
  basis: "Qwen Code 0.15.10 and 0.24.4",
  color: { terminal: { dark: 110, light: 60 }, page: { dark: "#9db6ea", light: "#3e5c9a" } },
  shortName: "qwen",
  command: "qwen",
  resumeCommand: "qwen --resume SESSION",
  clients: ["qwen"],
  support: { guide: "qwen-code", subagents: true, needsYou: ["hooks", "session files"] },
} satisfies Identity;
