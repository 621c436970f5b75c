import type { SetupAgent } from "./common/setup/agent.ts";
import { SETUPS } from "./generated/setup.ts";
import { type Identity, shortNameOf } from "./identity.ts";

/** The agents that `waymark setup` supports. */
export const SETUP_AGENTS: readonly SetupAgent[] = SETUPS.map(({ identity, setup }) => {
  const agent = shortNameOf(identity);
  const { id, name, command = setup.program ?? agent }: Identity = identity;
  return { name, ...setup, agent, id, command };
});

/** Finds the agent of `waymark setup NAME`. */
export function findSetupAgent(name: string): SetupAgent | undefined {
  return SETUP_AGENTS.find(({ agent }) => agent === name);
}
