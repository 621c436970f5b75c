import { IDENTITIES } from "./generated/identities.ts";
import type { Identity } from "./identity.ts";

/** An identity without `basis`, which only the documentation shows. */
export type KnownAgent = Omit<Identity, "basis">;

export { IDENTITIES };

const BY_ID = new Map(IDENTITIES.map((identity) => [identity.id, identity]));

export function identityOf(id: string | undefined): KnownAgent | undefined {
  return id === undefined ? undefined : BY_ID.get(id);
}

/** Finds an agent by the name of its MCP client. */
export function agentOfClient(client: string): KnownAgent | undefined {
  return IDENTITIES.find(({ clients }) =>
    clients?.some((name) => client.startsWith(name) && !/^\w/.test(client.slice(name.length))),
  );
}

/** The fields of an MCP request's `_meta` that contain the id of the tool call. */
export const CALL_ID_FIELDS = IDENTITIES.flatMap(({ callIdField }) => callIdField ?? []);

const SHOWING = IDENTITIES.filter(({ showsStatusLine }) => showsStatusLine);

/** The names of the agents that show a status line, for help texts. */
export const STATUS_LINE_AGENTS = SHOWING.map(({ name }) => name).join(", ");

/** The agent of a status line whose input does not identify it. */
export const STATUS_LINE_AGENT = SHOWING[0]?.id;

/** An agent that users start in a terminal. */
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

/** The agent that new users are advised to set up first. */
export const FIRST_AGENT = STARTABLE[0] ?? NONE;

/** The agent that help texts use as an example. */
export const EXAMPLE = STARTABLE.find(({ isExample }) => isExample) ?? FIRST_AGENT;
