import type { HookAgent } from "./common/hooks/agent.ts";
import { HOOKS } from "./generated/hooks.ts";
import { shortNameOf } from "./identity.ts";

/** The agents that send hook events. */
export const HOOK_AGENTS: readonly HookAgent[] = HOOKS.map(({ identity, hooks }) => ({
  ...hooks,
  name: shortNameOf(identity),
  agentType: identity.id,
}));

/** Finds the agent of `waymark hook NAME EVENT`. */
export function findHookAgent(name: string): HookAgent | undefined {
  return HOOK_AGENTS.find((agent) => agent.name === name);
}
