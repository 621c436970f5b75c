import type { Identity } from "./agent.ts";
import { IDENTITIES } from "./generated/identities.ts";

/** The identity of an agent without its proof. */
export type KnownAgent = Omit<Identity, "proof">;

export { IDENTITIES };

const BY_ID = new Map(IDENTITIES.map((identity) => [identity.id, identity]));

export function identityOf(id: string | undefined): KnownAgent | undefined {
  return id === undefined ? undefined : BY_ID.get(id);
}

/** The agent whose MCP client has this name. */
export function agentOfClient(client: string): KnownAgent | undefined {
  return IDENTITIES.find(({ clients }) =>
    clients?.some((name) => client.startsWith(name) && !/^\w/.test(client.slice(name.length))),
  );
}

/** Agents that can be started by a command; new users set up the first of them. */
export const STARTABLE = IDENTITIES.filter(
  (identity): identity is KnownAgent & { readonly command: string } =>
    identity.command !== undefined,
);

/** The agent that help texts use as an example. */
export const EXAMPLE = STARTABLE.find(({ isExample }) => isExample) ?? STARTABLE[0];
