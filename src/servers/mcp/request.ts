import type { Server, ServerContext } from "@modelcontextprotocol/server";
import { agentOfClient, CALL_ID_FIELDS } from "../../agents/identities.ts";
import { CLIENT_INFO_META_KEY } from "./sdk.ts";

type Meta = Readonly<Record<string, unknown>>;

/** Who asks, as far as the client tells. */
export interface Asker {
  /** What the client sent along with the request. */
  readonly meta: Meta;
  /** The agent, if it is one that is known. */
  readonly agentType?: string;
  /** Which call of the model it is. */
  readonly callId?: string;
}

export function askerOf(server: Server, { mcpReq }: ServerContext): Asker {
  const meta: Meta = mcpReq._meta ?? {};
  const agentType = agentOfClient(clientOf(server, mcpReq.envelope) ?? "")?.id;
  const callId = CALL_IDS.map((field) => meta[field]).find((id) => typeof id === "string");
  return {
    meta,
    ...(agentType !== undefined && { agentType }),
    ...(typeof callId === "string" && { callId }),
  };
}

/** New clients say who they are with every request, old ones once. */
function clientOf(server: Server, envelope: Meta = {}): string | undefined {
  const told = envelope[CLIENT_INFO_META_KEY] as { readonly name?: string } | undefined;
  return (told ?? server.getClientVersion())?.name;
}

/** Where the known clients say which call of the model it is. */
const CALL_IDS = [...CALL_ID_FIELDS, "callId"];

/**
 * The key of a call, if the client says which one it is: sent again, it is carried out once. Models
 * behind a proxy may count their calls from one in every session, so the input is part of the key.
 */
export function callKey({ callId }: Asker, name: string, input: unknown): string | undefined {
  if (callId === undefined) return undefined;
  // Loaded late: it is a large part of what starting the program costs.
  const { createHash } = process.getBuiltinModule("node:crypto");
  const digest = createHash("sha256")
    .update(JSON.stringify([callId, name, input]))
    .digest("hex");
  return `mcp:${digest.slice(0, 32)}`;
}
