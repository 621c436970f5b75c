import type { CallFacts, CallRef, Observation } from "../activity/observation.ts";
import type { Event } from "../model.ts";
import { absolutePath } from "./paths.ts";

/** One call that edited a file and succeeded. */
export interface FileEdit {
  /** When the call was started. */
  readonly at: number;
  /** Absolute if the directory of the agent is known. External text: encode it for its sink. */
  readonly path: string;
}

/** The edits of one agent, oldest first. */
export interface FileEdits {
  readonly edits: readonly FileEdit[];
  /** Calls that edited files which they do not name, such as `sed -i` in a loop. */
  readonly unnamed: number;
  /** Number of older edits that were dropped. */
  readonly dropped: number;
}

/** More than an agent edits in a day. */
const MAX_EDITS = 5_000;
/** Calls without a result. */
const MAX_OPEN = 256;

interface OpenEdit {
  readonly id: string;
  readonly at: number;
  readonly paths: readonly string[];
}

export const NO_EDITS: FileEdits = { edits: [], unnamed: 0, dropped: 0 };

/** Collects the edits in observations, which are added in order. */
export function createFileEdits(directory?: string) {
  let cwd = directory;
  let open: OpenEdit[] = [];
  const edits: FileEdit[] = [];
  let unnamed = 0;
  let dropped = 0;
  const idOf = ({ callId, name = "" }: CallRef): string => callId ?? name;
  const started = (id: string, at: number, { paths = [] }: CallFacts): OpenEdit => ({
    id,
    at,
    paths: paths.map((path) => absolutePath(path, cwd)),
  });
  const end = ({ at, paths }: OpenEdit): void => {
    if (paths.length === 0) unnamed++;
    for (const path of paths) edits.push({ at, path });
    if (edits.length <= 2 * MAX_EDITS) return;
    dropped += edits.length - MAX_EDITS;
    edits.splice(0, edits.length - MAX_EDITS);
  };
  return {
    add(seen: Observation): void {
      switch (seen.type) {
        case "session.started":
          cwd = seen.cwd ?? cwd;
          return;
        case "tool.started":
          if (!seen.edits) return;
          open.push(started(idOf(seen), seen.at, seen));
          if (open.length > MAX_OPEN) open = open.slice(-MAX_OPEN);
          return;
        case "tool.completed":
        case "tool.failed": {
          const index = open.findLastIndex(({ id }) => id === idOf(seen));
          const [call] = index === -1 ? [] : open.splice(index, 1);
          const isDone = seen.type === "tool.completed" && (seen.exitCode ?? 0) === 0;
          if (!isDone) return;
          if (call) end(call);
          else if (seen.call?.edits) end(started(idOf(seen), seen.at, seen.call));
          return;
        }
        default:
          return;
      }
    },
    edits: (): FileEdits => {
      const more = Math.max(0, edits.length - MAX_EDITS);
      return { edits: edits.slice(more), unnamed, dropped: dropped + more };
    },
  };
}

/** The edits that hosts reported for a list. */
export function fileEditsOf(events: Iterable<Event>, directory?: string): FileEdits {
  const { add, edits } = createFileEdits(directory);
  for (const { changes } of events)
    for (const change of changes)
      if (change.type === "observed") for (const seen of change.observations) add(seen);
  return edits();
}
