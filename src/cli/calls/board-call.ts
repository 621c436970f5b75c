import { callOfCheck } from "../../core/activity/calls/of-check.ts";
import { CommandError } from "../../core/error.ts";
import type { ReadList } from "../../sessions/read-list.ts";
import { type ShownCall, shownCall } from "../../surfaces/terminal/call/output.ts";
import type { BoardAction } from "../../surfaces/terminal/state.ts";

type CallAction = BoardAction & { type: "call" };

/** Reads a call of a session from the agent's own file. Fails with the reason if the file does not have it. */
export async function readShownCall(
  list: ReadList | undefined,
  key: string,
  { call, check }: CallAction,
): Promise<ShownCall> {
  if (!list?.call)
    throw new CommandError(
      "Waymark has no file of this agent, so the output of its calls is not known.",
    );
  const wanted = call ?? (await backingCall(list, check));
  const detail = wanted && (await list.call(wanted));
  if (!detail) throw new CommandError("The agent's file does not contain this call.");
  return shownCall(key, detail);
}

/** The call of a check that is no longer among the recent ones. */
async function backingCall(
  list: ReadList,
  check: CallAction["check"],
): Promise<CallAction["call"]> {
  const { calls } = (await list.readInFull?.())?.timeline ?? { calls: [] };
  const { callId, at = 0 } = callOfCheck(calls, check) ?? {};
  return callId === undefined ? undefined : { callId, at };
}
