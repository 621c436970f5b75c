import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { installPackages, lockedPackages } from "../../../scripts/install-packages.mjs";

/** The part of the official clients that tests use. */
export interface OfficialClient {
  connect(to: unknown): Promise<void>;
  close(): Promise<void>;
  listTools(): Promise<{ tools: { name: string; _meta?: Record<string, unknown> }[] }>;
  callTool(
    params: { name: string; arguments: Record<string, unknown> },
    ...rest: unknown[]
  ): Promise<{
    isError?: boolean;
    content: { text: string }[];
    structuredContent?: Record<string, unknown>;
  }>;
  setRequestHandler(method: unknown, handler: (request: never) => unknown): void;
}

interface FirstSdk {
  readonly Client: new (info: object, options?: object) => OfficialClient;
  readonly StdioClientTransport: new (options: object) => unknown;
  readonly StreamableHTTPClientTransport: new (url: URL, options: object) => unknown;
  readonly ElicitRequestSchema: unknown;
}

/** The official SDK 1.x, installed beside the project: it shares its name with nothing of 2.x. */
export async function loadFirstSdk(): Promise<FirstSdk> {
  const place = await installPackages("mcp-1", lockedPackages("mcp-1"));
  const dist = join(place, "node_modules/@modelcontextprotocol/sdk/dist/esm");
  const load = (file: string) => import(pathToFileURL(join(dist, file)).href);
  return {
    ...(await load("client/index.js")),
    ...(await load("client/stdio.js")),
    ...(await load("client/streamableHttp.js")),
    ...(await load("types.js")),
  } as FirstSdk;
}
