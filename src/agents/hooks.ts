import { claude } from "./claude-code/hooks.ts";
import { codex } from "./codex/hooks.ts";
import type { HookAgent } from "./common/hooks/agent.ts";
import { gemini } from "./gemini/hooks.ts";
import { opencode } from "./opencode/hooks.ts";
import { qwen } from "./qwen/hooks.ts";

/** Every agent whose hooks are understood. */
export const HOOK_AGENTS: readonly HookAgent[] = [claude, codex, gemini, opencode, qwen];

export function hookAgent(name: string): HookAgent | undefined {
  return HOOK_AGENTS.find((agent) => agent.name === name);
}
