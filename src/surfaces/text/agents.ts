import type { Hue } from "./draw/paint.ts";

interface AgentLook {
  readonly name: string;
  /** Stands for the name where room is short. */
  readonly code: string;
  readonly hue: Hue;
}

const AGENTS: Readonly<Record<string, AgentLook>> = {
  "claude-code": { name: "Claude Code", code: "cc", hue: "claude" },
  codex: { name: "Codex", code: "cx", hue: "codex" },
  gemini: { name: "Gemini", code: "gm", hue: "gemini" },
  opencode: { name: "opencode", code: "oc", hue: "opencode" },
  qwen: { name: "Qwen Code", code: "qw", hue: "qwen" },
  copilot: { name: "Copilot", code: "cp", hue: "other" },
  cursor: { name: "Cursor", code: "cu", hue: "other" },
  cline: { name: "Cline", code: "cl", hue: "other" },
  roo: { name: "Roo", code: "ro", hue: "other" },
  openclaw: { name: "OpenClaw", code: "ow", hue: "other" },
  hermes: { name: "Hermes", code: "hm", hue: "other" },
  "oh-my-pi": { name: "oh-my-pi", code: "om", hue: "other" },
  acp: { name: "ACP", code: "ac", hue: "other" },
  waymark: { name: "Waymark", code: "wm", hue: "other" },
};

/** How an agent program is named and coloured. Any other goes by the name it has. */
export function agentLook(agentType: string | undefined): AgentLook {
  const type = agentType ?? "";
  return (
    (Object.hasOwn(AGENTS, type) ? AGENTS[type] : undefined) ?? {
      name: type,
      code: type.slice(0, 2),
      hue: "other",
    }
  );
}
