/** What the known clients call themselves, and the agent that each of them is. */
const CLIENTS: readonly (readonly [RegExp, string])[] = [
  [/^claude-code\b/, "claude-code"],
  [/^codex\b/, "codex"],
  [/^gemini-cli\b/, "gemini"],
  [/^opencode\b/, "opencode"],
  [/^qwen\b/, "qwen"],
];

export function agentTypeOf(client: string | undefined): string | undefined {
  return CLIENTS.find(([name]) => client !== undefined && name.test(client))?.[1];
}

type Meta = Readonly<Record<string, unknown>>;

/** Where the known clients say which call of the model it is. */
const CALL_IDS = ["claudecode/toolUseId", "callId"];

/**
 * The key of a call, if the client says which one it is: sent again, it is carried out once. Models
 * behind a proxy may count their calls from one in every session, so the input is part of the key.
 */
export function callKey(meta: Meta, name: string, input: unknown): string | undefined {
  const id = CALL_IDS.map((field) => meta[field]).find((value) => typeof value === "string");
  if (id === undefined) return undefined;
  const { createHash } = process.getBuiltinModule("node:crypto");
  const digest = createHash("sha256")
    .update(JSON.stringify([id, name, input]))
    .digest("hex");
  return `mcp:${digest.slice(0, 32)}`;
}
