import { fingerprint } from "../core/activity/detect.ts";
import { checkValue, readJson } from "../tools/input.ts";
import { refusal } from "../tools/run.ts";
import type { AnyReadyTool, ToolAnswer } from "../tools/toolbox.ts";

/** The situation of the host, asked for anew at each call. */
export interface Situation {
  /** The host is in plan mode, whatever the track says: the list is read-only. */
  readonly planMode?: () => boolean;
  /** What the host is doing, such as "git commit": tools can be switched off in it. */
  readonly context?: () => string | undefined;
}

/** A call as an SDK hands it over. */
export interface HostCall {
  /** Which door it came through: part of what makes the call unique. */
  readonly door: string;
  readonly id?: string | undefined;
  readonly signal?: AbortSignal | null | undefined;
}

/**
 * Carries out one call of an SDK. The write begins before this returns its promise, so calls that
 * an SDK starts side by side apply in the order in which it started them.
 */
export async function callTool(
  tool: AnyReadyTool,
  input: unknown,
  { door, id, signal }: HostCall,
  { planMode, context }: Situation = {},
): Promise<ToolAnswer> {
  signal?.throwIfAborted();
  const doing = context?.();
  const key = id === undefined ? undefined : keyOf(door, id, input);
  return tool.execute(input, {
    ...(key !== undefined && { key }),
    ...(planMode?.() && { planMode: true }),
    ...(doing !== undefined && { context: doing }),
  });
}

/**
 * Some models count their calls anew in each answer: the same id with another input is another call.
 * What no JSON can hold is refused anyway and needs no key.
 */
function keyOf(door: string, id: string, input: unknown): string | undefined {
  return checkValue(input) ? undefined : `${door}:${id}:${fingerprint(input)}`;
}

/** The same for SDKs that hand over the input as the text that the model wrote. */
export async function callToolWithText(
  tool: AnyReadyTool,
  text: string,
  call: HostCall,
  situation?: Situation,
): Promise<ToolAnswer> {
  const read = readJson(text);
  if (!read.ok) return refusal(read.rejected);
  return callTool(tool, read.value, call, situation);
}
