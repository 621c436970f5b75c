import { fingerprint } from "../core/activity/detect.ts";
import { checkValue, readJson } from "../tools/input.ts";
import { refusal } from "../tools/run.ts";
import type { AnyReadyTool, ToolAnswer } from "../tools/toolbox.ts";

/** The state of the host, read at each call. */
export interface HostState {
  /** Whether the host is in plan mode, in which the list is read-only. */
  readonly planMode?: () => boolean;
  /** The current operation of the host, such as "git commit". Tools can be disabled during operations. */
  readonly context?: () => string | undefined;
}

/** A call from an SDK. */
export interface HostCall {
  /** The adapter. Part of the idempotency key. */
  readonly adapter: string;
  readonly id?: string | undefined;
  readonly signal?: AbortSignal | null | undefined;
}

/**
 * Runs one call of an SDK. The write starts before this returns its promise, so parallel calls apply in the order in
 * which the SDK started them.
 */
export async function callTool(
  tool: AnyReadyTool,
  input: unknown,
  { adapter, id, signal }: HostCall,
  { planMode, context }: HostState = {},
): Promise<ToolAnswer> {
  signal?.throwIfAborted();
  const operation = context?.();
  const key = id === undefined ? undefined : keyOf(adapter, id, input);
  return tool.execute(input, {
    ...(key !== undefined && { key }),
    ...(planMode?.() && { planMode: true }),
    ...(operation !== undefined && { context: operation }),
  });
}

/**
 * The idempotency key of a call. It includes the input, because some models restart their call ids in each answer. An
 * input that is not valid JSON is refused and needs no key.
 */
function keyOf(adapter: string, id: string, input: unknown): string | undefined {
  return checkValue(input) ? undefined : `${adapter}:${id}:${fingerprint(input)}`;
}

/** Runs a call of an SDK that passes the input as the JSON text of the model. */
export async function callToolWithText(
  tool: AnyReadyTool,
  text: string,
  call: HostCall,
  host?: HostState,
): Promise<ToolAnswer> {
  const read = readJson(text);
  if (!read.ok) return refusal(read.rejected);
  return callTool(tool, read.value, call, host);
}
