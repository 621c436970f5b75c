import type { PanesResponse } from "../../../core/jump.ts";
import { trackKey } from "../../../core/text/ids.ts";
import type { MergedTrack } from "../../../core/views/merged.ts";
import { parseTrackPath } from "../../../core/wire.ts";
import type { JumpCall } from "../../jump/jump.ts";
import { fits, isText } from "../fields.ts";
import {
  badInput,
  HttpError,
  type RequestContext,
  type Route,
  readJson,
  sendJson,
} from "../routes.ts";

export interface JumpParts {
  tracks(): readonly MergedTrack[];
  /** Absent if no agent of this page runs in a terminal of this user. */
  readonly call?: JumpCall;
}

// Imported on demand: most pages are never asked for a terminal.
const jumping = () => import("../../jump/jump.ts");

/** Finds the terminal in which an agent runs, and focuses it. */
export function jumpRoutes({ tracks, call }: JumpParts): readonly Route[] {
  const found = ({ params }: RequestContext): MergedTrack => {
    const id = parseTrackPath(params.id ?? "");
    const key = id && trackKey(id);
    const track = tracks().find((each) => trackKey(each.track) === key);
    if (track) return track;
    throw new HttpError(404, "unknown_track", "Unknown session. It may have been removed.");
  };
  return [
    {
      method: "GET",
      path: "/api/tracks/:id/jump",
      async handle(context) {
        const merged = found(context);
        const none: PanesResponse = { panes: [], isCertain: false };
        const answer = call ? await (await jumping()).panesOf(call, merged) : none;
        sendJson(context.response, 200, answer);
      },
    },
    {
      method: "POST",
      path: "/api/tracks/:id/jump",
      async handle(context) {
        const body = await readJson(context.request);
        if (!fits(body, { pane: isText }, ["pane"]))
          throw badInput("The body must be an object with at most the field pane, a string.");
        const merged = found(context);
        if (!call)
          throw new HttpError(409, "no_terminal", "The agents of this page have no terminal.");
        const { jumpTo } = await jumping();
        const { pane } = body;
        const answer = await jumpTo(call, merged, pane === undefined ? undefined : String(pane));
        sendJson(context.response, 200, answer);
      },
    },
  ];
}
