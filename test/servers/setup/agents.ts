import type { SetupAgent } from "../../../src/agents/common/setup/agent.ts";
import { findSetupAgent } from "../../../src/agents/setup.ts";

/** The agents that can be set up. */
export const AGENTS = ["claude", "codex", "copilot", "gemini", "opencode", "qwen", "kilo"] as const;

export type Agent = (typeof AGENTS)[number];

/** opencode and its fork have a plugin instead of hooks in their configuration. */
export function hasPlugin(agent: Agent): agent is "opencode" | "kilo" {
  return agent === "opencode" || agent === "kilo";
}

export function setupOf(agent: string): SetupAgent {
  const setup = findSetupAgent(agent);
  if (!setup) throw new Error(`No agent ${agent} can be set up`);
  return setup;
}
