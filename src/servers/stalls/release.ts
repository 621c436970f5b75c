import { MAIN_AGENT } from "../../core/text/ids.ts";
import type { MergedTrack } from "../../core/views/merged.ts";
import { ownerOf } from "../../sessions/caller/session.ts";
import type { Task } from "../../tasks/model.ts";
import type { TaskStore } from "../../tasks/store.ts";

const MAX_TASKS = 100;

/** The tasks that an agent has claimed. Those of its subagents belong to it: they are silent, too. */
export async function claimedTasks(
  store: TaskStore,
  { track }: Pick<MergedTrack, "track">,
): Promise<readonly Task[]> {
  const own = ownerOf(track);
  const isMain = track.agent === MAIN_AGENT;
  const claimed = await store.list({ status: "claimed" });
  return claimed
    .filter(({ owner = "" }) => owner === own || (isMain && owner.startsWith(`${own}/`)))
    .slice(0, MAX_TASKS);
}
