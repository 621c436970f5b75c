import { MUTE_KINDS, type MuteKind } from "../../core/activity/mute.ts";
import type { MergedTrack } from "../../core/views/merged.ts";
import { MUTE_ENDS, type MuteRequest } from "../../core/wire.ts";
import { fits } from "./fields.ts";
import {
  badInput,
  HttpError,
  type RequestContext,
  type Route,
  readJson,
  sendJson,
} from "./routes.ts";

export interface MuteParts {
  /** The session that a request names. */
  found(context: RequestContext): MergedTrack;
  tracks(): readonly MergedTrack[];
  /** Where decisions are kept; absent if another home directory is shown. */
  readonly home?: string | undefined;
}

/** The route that mutes findings of a session, and shows them again. */
export function muteRoute({ found, tracks, home }: MuteParts): Route {
  return {
    method: "POST",
    path: "/api/tracks/:id/mute",
    async handle(context) {
      const { kind, end } = readMuteRequest(await readJson(context.request));
      // An agent must not hide that it is stuck.
      if (context.client !== "page")
        throw new HttpError(
          403,
          "not_a_person",
          "Only a signed-in page mutes findings. On a terminal, use `waymark mute`.",
        );
      if (home === undefined)
        throw new HttpError(
          409,
          "read_only",
          "Findings cannot be muted here: this page is read-only.",
        );
      const { session } = found(context).track;
      const now = Date.now();
      const { changeMutes } = await import("../../sessions/mutes.ts");
      if (end === "none") await changeMutes(home, { session, kinds: [kind] }, now);
      else {
        const { MUTE_LENGTHS, muteFindings } = await import("../../sessions/mutes.ts");
        const family = tracks().filter(({ track }) => track.session === session);
        const muted = await muteFindings(
          home,
          family,
          { length: MUTE_LENGTHS[end], kinds: [kind] },
          now,
        );
        if (muted.length === 0)
          throw new HttpError(422, "no_finding", "This session no longer has this finding.");
      }
      sendJson(context.response, 200, {});
    },
  };
}

function readMuteRequest(body: unknown): MuteRequest {
  const isKind = (value: unknown) => MUTE_KINDS.includes(value as MuteKind);
  const isEnd = (value: unknown) => MUTE_ENDS.includes(value as MuteRequest["end"]);
  if (!fits(body, { kind: isKind, end: isEnd }))
    throw badInput(
      `The body must be { kind, end }: kind is ${MUTE_KINDS.join(", ")}; end is ${MUTE_ENDS.join(", ")}.`,
    );
  return body as unknown as MuteRequest;
}
