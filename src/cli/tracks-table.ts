import type { Track } from "../core/model.ts";
import { viewOf } from "../core/view.ts";
import { renderTracks } from "../surfaces/text/index.ts";
import { listForm } from "./list-form.ts";
import type { Home } from "./open.ts";
import type { Terminal } from "./terminal.ts";
import { textOptions } from "./text-options.ts";

const NEWEST = 20;

export interface Found {
  readonly tracks: readonly Track[];
  /** There are more than were asked for. */
  readonly more: boolean;
}

/** The tracks of this machine, or of one directory, the last written first. */
export async function findTracks(
  home: Home,
  { all = false, cwd }: { readonly all?: boolean | undefined; readonly cwd?: string },
): Promise<Found> {
  const tracker = await home.reading();
  const found = await tracker.tracks({
    ...(cwd !== undefined && { cwd }),
    ...(!all && { limit: NEWEST + 1 }),
  });
  const tracks = all ? found : found.slice(0, NEWEST);
  return { tracks, more: tracks.length < found.length };
}

export function printTracks(tracks: readonly Track[], terminal: Terminal, now: number): void {
  const views = tracks.map((track) => viewOf(track, now));
  terminal.print(renderTracks(views, textOptions(terminal, now)));
}

/** A track as programs are given it, without the todos. */
export function trackForm(track: Track) {
  const { title, agentType, parentAgent, cwd, mode } = track;
  const { todos: _, ...form } = listForm(track);
  return {
    ...form,
    ...(title !== undefined && { title }),
    ...(agentType !== undefined && { agentType }),
    ...(parentAgent !== undefined && { parentAgent }),
    ...(cwd !== undefined && { cwd }),
    mode,
    openedAt: new Date(track.openedAt).toISOString(),
    updatedAt: new Date(track.updatedAt).toISOString(),
  };
}
