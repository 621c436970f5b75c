import type { Identity } from "../identity.ts";

export const identity = {
  id: "claude-code",
  name: "Claude Code",
  code: "cc",
  basis: "Claude Code 2.0.77, 2.1.50 and 2.1.325",
  color: { terminal: { dark: 173, light: 130 }, page: { dark: "#e99b76", light: "#b04a22" } },
  shortName: "claude",
  command: "claude",
  resumeCommand: "claude --resume SESSION",
  clients: ["claude-code"],
  callIdField: "claudecode/toolUseId",
  sessionVariable: "CLAUDE_CODE_SESSION_ID",
  showsStatusLine: true,
  streamCommand: "claude -p TASK --output-format stream-json --verbose",
  addServerCommand: "claude mcp add",
  support: { guide: "claude-code", subagents: true, needsYou: ["hooks", "session files"] },
} satisfies Identity;
