import type { Identity } from "../identity.ts";

export const identity = {
  id: "codex",
  name: "Codex",
  code: "cx",
  basis: "Codex CLI 0.80, 0.151, 0.152 and 0.166",
  color: { terminal: { dark: 80, light: 24 }, page: { dark: "#5cc3d8", light: "#0b6e85" } },
  shortName: "codex",
  command: "codex",
  resumeCommand: "codex resume SESSION",
  clients: ["codex"],
  sessionVariable: "CODEX_THREAD_ID",
  sessionFields: { session: "sessionId", agent: "threadId" },
  streamCommand: "codex exec --json TASK",
  addServerCommand: "codex mcp add",
  isExample: true,
  support: { guide: "codex", subagents: true, needsYou: ["hooks", "session files"] },
} satisfies Identity;
