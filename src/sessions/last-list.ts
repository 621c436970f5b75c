import { DIALECTS, findDialect } from "../agents/index.ts";
import { emptyLive, foldStream } from "../core/stream/fold.ts";
import { externalList, type ReadList } from "./read-list.ts";
import { type AgentsCall, indexOf, machineOf } from "./transcripts/agents.ts";
import { discover, type FoundSource } from "./transcripts/discover.ts";
import { restoreLast } from "./transcripts/restore.ts";

/** Less than this is read through in no time. */
const LARGE = 64 * 1024 * 1024;

/**
 * The list of a session whose file is very long and not known yet, found from its end; nothing
 * where reading everything is as good, or the end does not tell.
 */
export async function lastListOf(
  call: AgentsCall,
  session: string,
  userHome: string | undefined,
): Promise<ReadList | undefined> {
  const { sources } = discover(DIALECTS, machineOf(call.env, userHome));
  const own = (source: FoundSource) => source.session === session && source.agent === undefined;
  const [source, ...others] = sources.filter((each) => own(each) && each.kind === "file");
  const dialect = source && findDialect(source.dialect);
  if (!dialect || others.length > 0) return undefined;
  const known = indexOf(call, userHome).get(source.path)?.mark.offset ?? 0;
  if (source.size - known < LARGE) return undefined;
  const event = restoreLast(source.path, dialect, { ...source, kind: "file" });
  if (!event) return undefined;
  const live = emptyLive(event);
  foldStream(live, event);
  const found = { live, updatedAt: live.track.updatedAt, units: [[source]] } as const;
  return externalList(found, undefined);
}
