import type { HookAgent } from "./agent.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";
import { qwen } from "./qwen.ts";

/** Every agent whose hooks are understood. */
export const HOOK_AGENTS: readonly HookAgent[] = [claude, codex, gemini, opencode, qwen];

export function hookAgent(name: string): HookAgent | undefined {
  return HOOK_AGENTS.find((agent) => agent.name === name);
}
