import { IDENTITIES } from "./generated/identities.ts";
import type { Identity } from "./identity.ts";

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

/** Fields of an MCP request's `_meta` that hold the id of the tool call. */
export const CALL_ID_FIELDS = IDENTITIES.flatMap(({ callIdField }) => callIdField ?? []);

const SHOWING = IDENTITIES.filter(({ showsStatusLine }) => showsStatusLine);

/** The agents that show a status line, by name: for help texts. */
export const STATUS_LINE_AGENTS = SHOWING.map(({ name }) => name).join(", ");

/** The agent whose status line it is if nothing else is known. */
export const STATUS_LINE_AGENT = SHOWING[0]?.id;

/** An agent that a user starts in a terminal. */
interface Startable extends KnownAgent {
  readonly command: string;
  readonly shortName: string;
}

const STARTABLE = IDENTITIES.filter(
  (agent): agent is Startable => agent.command !== undefined && agent.shortName !== undefined,
);
const NONE: Startable = {
  id: "agent",
  name: "agent",
  code: "--",
  command: "agent",
  shortName: "agent",
};

/** The agent that a new user is told to set up first. */
export const FIRST_AGENT = STARTABLE[0] ?? NONE;

/** The agent that help texts use as an example. */
export const EXAMPLE = STARTABLE.find(({ isExample }) => isExample) ?? FIRST_AGENT;
