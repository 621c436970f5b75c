import type { SetupAgent } from "./common/setup/agent.ts";
import { SETUPS } from "./generated/setup.ts";
import { shortNameOf } from "./identity.ts";

/** The agents that `waymark setup` supports. */
export const SETUP_AGENTS: readonly SetupAgent[] = SETUPS.map(({ identity, setup }) => {
  const agent = shortNameOf(identity);
  const { id, name, command = agent } = identity;
  return { ...setup, agent, id, name, command };
});

/** Finds the agent of `waymark setup NAME`. */
export function findSetupAgent(name: string): SetupAgent | undefined {
  return SETUP_AGENTS.find(({ agent }) => agent === name);
}
