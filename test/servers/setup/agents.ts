import type { SetupAgent } from "../../../src/agents/common/setup/agent.ts";
import { findSetupAgent } from "../../../src/agents/setup.ts";

/** The agents that can be set up. */
export const AGENTS = [
  "claude",
  "codex",
  "copilot",
  "gemini",
  "opencode",
  "qwen",
  "kilo",
  "kimi",
  "omp",
  "openclaw",
] as const;

export type Agent = (typeof AGENTS)[number];

/** Agents that load a plugin instead of hooks in their configuration. */
export function hasPlugin(agent: Agent): boolean {
  return ["opencode", "kilo", "omp", "openclaw"].includes(agent);
}

/** Agents with the server's command and arguments in one list. */
export function hasOneCommand(agent: Agent): boolean {
  return agent === "opencode" || agent === "kilo";
}

export function setupOf(agent: string): SetupAgent {
  const setup = findSetupAgent(agent);
  if (!setup) throw new Error(`No agent ${agent} can be set up`);
  return setup;
}
