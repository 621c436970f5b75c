import { identityOf } from "../../agents/identities.ts";

interface AgentLook {
  readonly name: string;
  /** Two letters, for narrow layouts. */
  readonly code: string;
  /** The class of its color on the page, without the prefix. */
  readonly hue: string;
}

/** The name and color of an agent; unknown agents are named by their type. */
export function agentLook(agentType: string | undefined): AgentLook {
  const type = agentType ?? "";
  const known = identityOf(type);
  if (!known) return { name: type, code: type.slice(0, 2), hue: "other" };
  const { id, name, code, color, shortName = id } = known;
  return { name, code, hue: color ? shortName : "other" };
}
