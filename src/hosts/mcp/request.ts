import type { Server, ServerContext } from "@modelcontextprotocol/server";
import { CLIENT_INFO_META_KEY } from "./sdk.ts";

export type Meta = Readonly<Record<string, unknown>>;

/** What the client sent along with a request. */
export function metaOf({ mcpReq }: ServerContext): Meta {
  return mcpReq._meta ?? {};
}

/** What the known clients call themselves, and the agent that each of them is. */
const CLIENTS: readonly (readonly [RegExp, string])[] = [
  [/^claude-code\b/, "claude-code"],
  [/^codex\b/, "codex"],
  [/^gemini-cli\b/, "gemini"],
  [/^opencode\b/, "opencode"],
  [/^qwen\b/, "qwen"],
];

/** Which agent asks, if it is one that is known. */
export function agentTypeOf(server: Server, context: ServerContext): string | undefined {
  const client = clientOf(server, context) ?? "";
  return CLIENTS.find(([name]) => name.test(client))?.[1];
}

/** New clients say who they are with every request, old ones once. */
function clientOf(server: Server, { mcpReq }: ServerContext): string | undefined {
  const envelope: Meta = mcpReq.envelope ?? {};
  const told = envelope[CLIENT_INFO_META_KEY] as { readonly name?: string } | undefined;
  return (told ?? server.getClientVersion())?.name;
}

/** Where the known clients say which call of the model it is. */
const CALL_IDS = ["claudecode/toolUseId", "callId"];

/**
 * The key of a call, if the client says which one it is: sent again, it is carried out once. Models
 * behind a proxy may count their calls from one in every session, so the input is part of the key.
 */
export function callKey(meta: Meta, name: string, input: unknown): string | undefined {
  const id = CALL_IDS.map((field) => meta[field]).find((value) => typeof value === "string");
  if (id === undefined) return undefined;
  // Loaded late: it is a large part of what starting the program costs.
  const { createHash } = process.getBuiltinModule("node:crypto");
  const digest = createHash("sha256")
    .update(JSON.stringify([id, name, input]))
    .digest("hex");
  return `mcp:${digest.slice(0, 32)}`;
}
