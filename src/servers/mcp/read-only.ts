import { type Situation, situationOf } from "../../core/guidance/situation.ts";
import type { Session } from "../../sessions/caller/session.ts";
import type { ServerParts } from "./server.ts";

/** The operation that the agent is in, if the list is read-only during it. */
export async function readOnlySituation(
  { lists, offIn = [] }: ServerParts,
  { session, agent }: Session,
): Promise<Situation | undefined> {
  if (offIn.length === 0) return undefined;
  const { activity } = await (await lists.reading()).list({ session, agent }).read();
  const situation = situationOf(activity);
  return situation && offIn.includes(situation) ? situation : undefined;
}
