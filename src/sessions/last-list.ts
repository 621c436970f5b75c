import { DECODERS, findDecoder } from "../agents/index.ts";
import { emptyLiveTrack, foldStream } from "../core/stream/fold.ts";
import { externalList, type ReadList } from "./read-list.ts";
import { discover, type FoundSource } from "./transcripts/discover.ts";
import { findLastList } from "./transcripts/find-last-list.ts";
import { indexOf, machineOf, type TranscriptsCall } from "./transcripts/machine.ts";

/** Smaller files are read completely. */
const LARGE = 64 * 1024 * 1024;

/**
 * Finds the current list of a session at the end of its file, if that file is large and not indexed
 * yet. Undefined if reading the whole file is just as fast, or if the end has no list.
 */
export async function lastListOf(
  call: TranscriptsCall,
  session: string,
  userHome: string | undefined,
): Promise<ReadList | undefined> {
  const { sources } = discover(DECODERS, machineOf(call.env, userHome));
  const own = (source: FoundSource) => source.session === session && source.agent === undefined;
  const [source, ...others] = sources.filter((each) => own(each) && each.kind === "file");
  const dialect = source && findDecoder(source.dialect);
  if (!dialect || others.length > 0) return undefined;
  const known = indexOf(call, userHome).get(source.path)?.mark.offset ?? 0;
  if (source.size - known < LARGE) return undefined;
  const event = findLastList(source.path, dialect, { ...source, kind: "file" });
  if (!event) return undefined;
  const live = emptyLiveTrack(event);
  foldStream(live, event);
  const found = { live, updatedAt: live.track.updatedAt, units: [[source]] } as const;
  return externalList(found, undefined);
}
