import type { Track } from "../core/model.ts";
import { isGeneratedId, trackKey } from "../core/text/ids.ts";
import { joinTracks } from "../core/views/merged.ts";
import { titleOf } from "../core/views/title.ts";
import type { AgentsCall } from "./transcripts/agents.ts";

/**
 * The title of a list. Of an agent's list in the store, the title or first prompt may only be in the
 * agent's own files; those are read where the list has neither.
 */
export async function titleOfList(
  call: AgentsCall & { readonly values: { readonly home?: string | undefined } },
  track: Track,
): Promise<string> {
  if (isNamed(track) || call.values.home !== undefined) return titleOf({ track });
  const { readAgents } = await import("./transcripts/agents.ts");
  const foreign = (await readAgents(call, undefined)).tracks.filter(
    ({ live }) => trackKey(live) === trackKey(track),
  );
  const [joined] = joinTracks([track], foreign, Date.now());
  return titleOf(joined ?? { track });
}

/** A list that a person named has no agent, so no files of one. */
function isNamed({ title, prompt, session, agentType }: Track): boolean {
  const isPersonal = agentType === undefined && !isGeneratedId(session);
  return title !== undefined || prompt !== undefined || isPersonal;
}
