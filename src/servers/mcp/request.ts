import type { Server, ServerContext } from "@modelcontextprotocol/server";
import { agentOfClient, CALL_ID_FIELDS } from "../../agents/identities.ts";
import { CLIENT_INFO_META_KEY } from "./sdk.ts";

type Meta = Readonly<Record<string, unknown>>;

/** The client's description of itself and of the call. */
export interface Caller {
  /** The `_meta` of the request. */
  readonly meta: Meta;
  /** The id of the agent, if it is a known one. */
  readonly agentType?: string;
  /** The id of the model's tool call. */
  readonly callId?: string;
}

export function callerOf(server: Server, { mcpReq }: ServerContext): Caller {
  const meta: Meta = mcpReq._meta ?? {};
  const agentType = agentOfClient(clientOf(server, mcpReq.envelope) ?? "")?.id;
  const callId = CALL_IDS.map((field) => meta[field]).find((id) => typeof id === "string");
  return {
    meta,
    ...(agentType !== undefined && { agentType }),
    ...(typeof callId === "string" && { callId }),
  };
}

/** Clients of the new protocol send their name with every request, others once. */
function clientOf(server: Server, envelope: Meta = {}): string | undefined {
  const info = envelope[CLIENT_INFO_META_KEY] as { readonly name?: string } | undefined;
  return (info ?? server.getClientVersion())?.name;
}

/** Fields in which known clients send the id of the tool call. */
const CALL_IDS = [...CALL_ID_FIELDS, "callId"];

/**
 * The idempotency key of a call, if the client sends an id. Models behind a proxy may restart their ids in every session, so the
 * input is part of the key.
 */
export function callKey({ callId }: Caller, name: string, input: unknown): string | undefined {
  if (callId === undefined) return undefined;
  // Loaded late, because it would slow down every start of the program.
  const { createHash } = process.getBuiltinModule("node:crypto");
  const digest = createHash("sha256")
    .update(JSON.stringify([callId, name, input]))
    .digest("hex");
  return `mcp:${digest.slice(0, 32)}`;
}
