import type { AgentSetup } from "../../../src/agents/common/setup/agent.ts";
import { findSetup } from "../../../src/agents/index.ts";

/** The agents that can be set up. */
export const AGENTS = ["claude", "codex", "gemini", "opencode", "qwen"] as const;

export type Agent = (typeof AGENTS)[number];

export function setupOf(agent: string): AgentSetup {
  const setup = findSetup(agent);
  if (!setup) throw new Error(`No agent ${agent} can be set up`);
  return setup;
}
