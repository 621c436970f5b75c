import { claude } from "./claude-code/setup.ts";
import { codex } from "./codex/setup.ts";
import type { AgentSetup } from "./common/setup/agent.ts";
import type { Agent } from "./common/setup/commands.ts";
import { gemini } from "./gemini/setup.ts";
import { opencode } from "./opencode/setup.ts";
import { qwen } from "./qwen/setup.ts";

export const SETUPS: Readonly<Record<Agent, AgentSetup>> = {
  claude,
  codex,
  gemini,
  opencode,
  qwen,
};
