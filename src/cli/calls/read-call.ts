import type { CallDetail } from "../../core/activity/calls/call-detail.ts";
import { CommandError } from "../../core/error.ts";
import type { AnyTrack } from "../../sessions/any-track.ts";
import type { ReadList } from "../../sessions/read-list.ts";

/** The value of --call that names the newest call. */
const LAST = "last";

/** Reads a tool call from the agent's own file. */
export async function readCallOf(
  list: ReadList,
  { machine, activity }: AnyTrack,
  given: string,
): Promise<CallDetail> {
  const { session } = list.id;
  if (machine !== undefined)
    throw new CommandError(
      `Session ${session} runs on ${machine}. The output of its calls stays there: run this command on that machine.`,
    );
  if (!list.call)
    throw new CommandError(
      `Waymark has no file of the agent of session ${session}, so the output of its calls is not known.`,
    );
  const newest = [...(activity?.recent ?? []), ...(activity?.open ?? [])]
    .filter(({ callId }) => callId !== undefined)
    .sort((a, b) => a.startedAt - b.startedAt)
    .at(-1);
  if (given === LAST && newest?.callId === undefined)
    throw new CommandError(`Session ${session} has no recent call.`);
  const wanted =
    given === LAST ? { callId: newest?.callId ?? "", at: newest?.startedAt } : { callId: given };
  const detail = await list.call(wanted);
  if (detail) return detail;
  throw new CommandError(
    `The file of session ${session} has no call "${given.slice(0, 60)}". \`waymark show ${session} --json\` lists the recent calls with their ids.`,
  );
}
