import type { AgentSetup } from "../agent.ts";
import type { Agent } from "../commands.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";
import { qwen } from "./qwen.ts";

export const SETUPS: Readonly<Record<Agent, AgentSetup>> = {
  claude,
  codex,
  gemini,
  opencode,
  qwen,
};
