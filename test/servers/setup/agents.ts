import type { SetupAgent } from "../../../src/agents/common/setup/agent.ts";
import { findSetupAgent } from "../../../src/agents/setup.ts";

/** The agents that can be set up. */
export const AGENTS = ["claude", "codex", "gemini", "opencode", "qwen"] as const;

export type Agent = (typeof AGENTS)[number];

export function setupOf(agent: string): SetupAgent {
  const setup = findSetupAgent(agent);
  if (!setup) throw new Error(`No agent ${agent} can be set up`);
  return setup;
}
