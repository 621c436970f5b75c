import { systemPrompt, type TaskToolId, taskPrompt } from "../../core/guidance/prompts.ts";
import { joinText, type ModelText } from "../../core/text/model-text.ts";
import { isRecord } from "../../core/values.ts";
import type { FrameStreams, InputStream } from "./frames.ts";

/** The extension of the protocol for views: see `app/`. */
export const UI_EXTENSION = "io.modelcontextprotocol/ui";

export const CAPABILITIES = {
  tools: {},
  resources: { subscribe: true },
  prompts: {},
  extensions: { [UI_EXTENSION]: {} },
};

/** Instructions for the model about the first list tool and the first task tool of the server. */
export function instructionsFor(
  listTool: string | undefined,
  taskTool: TaskToolId | undefined,
): ModelText {
  return joinText(
    [
      ...(listTool === undefined ? [] : [systemPrompt(listTool)]),
      ...(taskTool === undefined ? [] : [taskPrompt(taskTool)]),
    ],
    "\n\n",
  );
}

/** Protocol versions that the SDK negotiates by `initialize`. */
const VERSIONS: readonly unknown[] = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
];

export interface Introduction {
  readonly name: string;
  readonly version: string;
  readonly instructions: ModelText;
}

/** A readable stream of Node that takes bytes back. */
interface Rereadable extends InputStream {
  unshift(bytes: Buffer): void;
}

/**
 * Waits for the first message and, if it is a usual `initialize`, answers it before the SDK is loaded, which takes as long as
 * starting Node. The input of the returned streams has the message again, for the SDK; the output leaves out its answer. Other messages
 * are left to the SDK. Undefined if the input ends before a message.
 */
export async function introduce(
  { input, output }: FrameStreams & { readonly input: Rereadable },
  { name, version, instructions }: Introduction,
): Promise<FrameStreams | undefined> {
  const first = await firstBytes(input);
  if (!first) return undefined;
  const request = readInitialize(first);
  if (!request) return { input, output };
  const { id, protocolVersion } = request;
  const result = {
    protocolVersion,
    capabilities: CAPABILITIES,
    serverInfo: { name, version },
    ...(instructions !== "" && { instructions }),
  };
  output.write(`${JSON.stringify({ result, jsonrpc: "2.0", id })}\n`);
  let isRepeated = false;
  const write = (text: string): boolean => {
    if (isRepeated || !isAnswerTo(id, text)) return output.write(text);
    isRepeated = true;
    return true;
  };
  return { input, output: { on: output.on, write } };
}

/** Reads the first bytes and puts them back. */
function firstBytes(input: Rereadable): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const settle = (first?: Buffer) => {
      input.off("data", onData);
      for (const event of ENDS) input.off(event, onEnd);
      input.pause();
      if (first) input.unshift(first);
      resolve(first);
    };
    const onData = (first: Buffer) => settle(first);
    const onEnd = () => settle();
    input.on("data", onData);
    for (const event of ENDS) input.on(event, onEnd);
  });
}

const ENDS = ["end", "close", "error"];

type Id = string | number;

/** The request at the start of the bytes, if the SDK would accept it for certain. */
function readInitialize(
  bytes: Buffer,
): { readonly id: Id; readonly protocolVersion: unknown } | undefined {
  const message = parsed(bytes.subarray(0, Math.max(0, bytes.indexOf("\n"))).toString("utf8"));
  if (!isRecord(message) || !hasOnly(message, ["jsonrpc", "id", "method", "params"]))
    return undefined;
  const { jsonrpc, id, method, params } = message;
  if (jsonrpc !== "2.0" || method !== "initialize" || !isId(id)) return undefined;
  if (!isRecord(params) || !hasOnly(params, ["protocolVersion", "capabilities", "clientInfo"]))
    return undefined;
  const { protocolVersion, capabilities, clientInfo } = params;
  const isUsual =
    VERSIONS.includes(protocolVersion) && areUsual(capabilities) && isUsualClient(clientInfo);
  return isUsual ? { id, protocolVersion } : undefined;
}

function areUsual(capabilities: unknown): boolean {
  if (!isRecord(capabilities)) return false;
  return Object.entries(capabilities).every(([name, value]) => {
    if (!isRecord(value)) return false;
    if (name === "experimental" || name === "extensions")
      return Object.values(value).every(isRecord);
    if (name === "roots") return hasOnly(value, ["listChanged"]) && areBooleans(value);
    const modes = { sampling: [], elicitation: ["form", "url"] }[name];
    return modes !== undefined && hasOnly(value, modes) && Object.values(value).every(isEmpty);
  });
}

function isUsualClient(client: unknown): boolean {
  if (!isRecord(client) || !hasOnly(client, ["name", "version", "title"])) return false;
  const { name, version, title = "" } = client;
  return [name, version, title].every((each) => typeof each === "string");
}

function isAnswerTo(id: Id, text: string): boolean {
  const message = parsed(text);
  return isRecord(message) && message.id === id && message.method === undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isId(value: unknown): value is Id {
  return typeof value === "string" || Number.isSafeInteger(value);
}

function isEmpty(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0;
}

function areBooleans(value: Readonly<Record<string, unknown>>): boolean {
  return Object.values(value).every((each) => typeof each === "boolean");
}

function hasOnly(value: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  return Object.keys(value).every((name) => names.includes(name));
}
