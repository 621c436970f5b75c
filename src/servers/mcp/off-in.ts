import { type Situation, situationOf } from "../../core/guidance/situation.ts";
import type { Session } from "../../sessions/caller/session.ts";
import type { ServerParts } from "./server.ts";

/** The operation that the agent is in, where writes are switched off during it. */
export async function offNow(
  { lists, offIn = [] }: ServerParts,
  { session, agent }: Session,
): Promise<Situation | undefined> {
  if (offIn.length === 0) return undefined;
  const { activity } = await (await lists.reading()).list({ session, agent }).read();
  const situation = situationOf(activity);
  return situation && offIn.includes(situation) ? situation : undefined;
}
