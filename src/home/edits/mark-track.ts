import { pathsIn } from "../../core/collisions/uses.ts";
import type { Track } from "../../core/model.ts";
import { currentOf } from "../../core/views/view.ts";
import { markFiles } from "./marks.ts";

/** Marks the files of a track after a commit: the last edit, and those that the current todo names. */
export function markTrack(home: string, track: Track, listChanged: boolean): void {
  const { session, activity, todos, updatedAt } = track;
  const last = activity?.touched?.at(-1)?.at;
  const isRecent = last !== undefined && last === activity?.edits?.at && last === activity.lastAt;
  const edited = isRecent ? (activity?.touched ?? []).filter(({ at }) => at === last) : [];
  const current = listChanged ? currentOf(todos) : undefined;
  const paths = [...edited.map(({ path }) => path), ...(current ? pathsIn(current.text) : [])];
  if (paths.length > 0) markFiles(home, session, paths, last ?? updatedAt);
}
