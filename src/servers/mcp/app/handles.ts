import { isRecord } from "../../../core/values.ts";
import type { Session } from "../../../sessions/caller/session.ts";

/** Names the list of a view. Gives no right to change it. */
export interface ViewHandle {
  readonly session: string;
  readonly agent: string;
  readonly proof: string;
}

/**
 * Signatures of this server. A `handle` names the list of a view, in calls that carry nothing else of the agent's session. A
 * `token` proves that a call comes from a view: it is in the `_meta` of answers to views, which models do not see.
 */
export interface ViewHandles {
  handleOf(session: Session): ViewHandle;
  /** The list that a handle names; undefined if this server did not sign it. */
  resolve(handle: unknown): Session | undefined;
  tokenOf(session: Session): string;
  accepts(session: Session, token: unknown): boolean;
}

export function createViewHandles(): ViewHandles {
  let secret: Buffer | undefined;
  const sign = (purpose: "handle" | "token", { session, agent }: Session): string => {
    // Loaded late, because it would slow down every start of the program.
    const { createHmac, randomBytes } = process.getBuiltinModule("node:crypto");
    secret ??= randomBytes(32);
    return createHmac("sha256", secret)
      .update(JSON.stringify([purpose, session, agent]))
      .digest("base64url");
  };
  const isSigned = (purpose: "handle" | "token", session: Session, proof: unknown): boolean => {
    if (typeof proof !== "string") return false;
    const { timingSafeEqual } = process.getBuiltinModule("node:crypto");
    const expected = Buffer.from(sign(purpose, session));
    const given = Buffer.from(proof);
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
  return {
    handleOf: ({ session, agent }) => ({
      session,
      agent,
      proof: sign("handle", { session, agent }),
    }),
    resolve(handle) {
      if (!isRecord(handle)) return undefined;
      const { session, agent, proof } = handle;
      if (typeof session !== "string" || typeof agent !== "string") return undefined;
      return isSigned("handle", { session, agent }, proof) ? { session, agent } : undefined;
    },
    tokenOf: (session) => sign("token", session),
    accepts: (session, token) => isSigned("token", session, token),
  };
}
