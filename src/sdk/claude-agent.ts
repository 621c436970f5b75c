import type { AnyReadyTool } from "../tools/toolbox.ts";
import { callTool, type HostState } from "./call.ts";
import { openShape } from "./schema.ts";

export {
  type ClaudeHookAnswer,
  type ClaudeHookInput,
  type ClaudeHooks,
  claudeAgentHooks,
} from "./claude-agent-hooks.ts";

const ADAPTER = "claude-agent";
const SERVER = "waymark";

/** The result of a tool call. */
export interface ClaudeToolResult {
  content: { type: "text"; text: string }[];
  isError?: boolean;
  [field: string]: unknown;
}

/** `tool` and `createSdkMcpServer` of `@anthropic-ai/claude-agent-sdk`. */
export interface ClaudeAgentSdk<Definition, Server> {
  tool(
    name: string,
    description: string,
    shape: Record<string, object>,
    handler: (input: unknown, extra: unknown) => Promise<ClaudeToolResult>,
  ): Definition;
  createSdkMcpServer(options: {
    name: string;
    tools: Definition[];
    alwaysLoad: boolean;
    instructions?: string;
  }): Server;
}

/** Options of `claudeAgentServer`. */
export interface ClaudeAgentOptions extends HostState {
  /** The name of the MCP server. The model sees its tools as `mcp__NAME__todos`. */
  readonly name?: string;
  readonly instructions?: string;
}

/**
 * Creates an in-process MCP server with the tools.
 *
 * @param tools the tools of `todoTools` or `taskTools`
 * @param sdk the package `@anthropic-ai/claude-agent-sdk`
 * @returns a server for `mcpServers` in the options of `query`
 */
export function claudeAgentServer<Definition, Server>(
  tools: readonly AnyReadyTool[],
  sdk: ClaudeAgentSdk<Definition, Server>,
  { name = SERVER, instructions, ...host }: ClaudeAgentOptions = {},
): Server {
  return sdk.createSdkMcpServer({
    name,
    // Otherwise Claude Code hides the tools until the model searches for them.
    alwaysLoad: true,
    ...(instructions !== undefined && { instructions }),
    tools: tools.map((tool) =>
      sdk.tool(tool.name, tool.description, openShape(tool.inputSchema), async (input, extra) => {
        const { ok, text } = await callTool(
          tool,
          input,
          { adapter: ADAPTER, ...callOf(extra) },
          host,
        );
        return { content: [{ type: "text", text }], ...(!ok && { isError: true }) };
      }),
    ),
  });
}

function callOf(extra: unknown): { id?: string; signal?: AbortSignal } {
  if (typeof extra !== "object" || extra === null) return {};
  const { signal, _meta: meta } = extra as { signal?: unknown; _meta?: Record<string, unknown> };
  const id = meta?.["claudecode/toolUseId"];
  return {
    ...(typeof id === "string" && { id }),
    ...(signal instanceof AbortSignal && { signal }),
  };
}
