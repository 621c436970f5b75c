import type { Identity } from "../identity.ts";

export const identity = {
  id: "copilot",
  name: "Copilot CLI",
  code: "cp",
  basis: "Copilot CLI 1.0.102",
  color: { terminal: { dark: 79, light: 30 }, page: { dark: "#6fd1c0", light: "#1f7468" } },
  shortName: "copilot",
  command: "copilot",
  resumeCommand: "copilot --resume SESSION",
  clients: ["copilot-cli"],
  sessionVariable: "COPILOT_AGENT_SESSION_ID",
  streamCommand: "copilot -p TASK --allow-all-tools --output-format json",
  support: { guide: "copilot-cli", subagents: true, needsYou: ["hooks", "session files"] },
} satisfies Identity;
