import type { CallDetail } from "../../core/activity/calls/call-detail.ts";
import type { TrackId } from "../../core/model.ts";
import type { MergedTrack } from "../../core/views/merged.ts";
import type { ReadCall } from "../../sessions/read-list.ts";
import { badInput, HttpError, type RequestContext, type Route, sendJson } from "./routes.ts";

export interface CallParts {
  /** The session that a request names. */
  found(context: RequestContext): MergedTrack;
  /** How to read the calls of a session; undefined if no file of the agent is on this machine. */
  read(id: TrackId): Promise<ReadCall | undefined>;
}

const MAX_ID = 200;

/** One tool call of a session, read from the agent's own file for this response. */
export function callRoutes({ found, read }: CallParts): readonly Route[] {
  return [
    {
      method: "GET",
      path: "/api/tracks/:id/calls/:call",
      async handle(context) {
        const { response, params, url } = context;
        const { track, machine } = found(context);
        const callId = params.call ?? "";
        if (callId.length > MAX_ID) throw badInput("The id of the call is too long.");
        const wanted = { callId, at: startOf(url) };
        if (machine !== undefined)
          throw new HttpError(
            409,
            "other_machine",
            `This session runs on ${machine}. Its output stays on that machine: open the page there.`,
          );
        const readCall = await read(track);
        if (!readCall)
          throw new HttpError(
            404,
            "no_file",
            "Waymark has no file of this agent, so the output of its calls is not known.",
          );
        const detail = await readCall(wanted, url.searchParams.has("all"));
        if (!detail)
          throw new HttpError(
            404,
            "unknown_call",
            "The agent's file does not contain this call. The agent may have removed it.",
          );
        sendJson(response, 200, detail satisfies CallDetail);
      },
    },
  ];
}

/** The parameter `at`: when the call started, in milliseconds. */
function startOf(url: URL): number | undefined {
  const given = url.searchParams.get("at");
  if (given === null) return undefined;
  if (!/^\d{1,16}$/.test(given)) throw badInput("`at` must be milliseconds since 1970.");
  return Number(given);
}
