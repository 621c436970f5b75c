import type { HeadAndTail } from "./head-and-tail.ts";

/**
 * core/activity/calls: one tool call in full. Neither its input nor its output is stored: both are read from the
 * agent's own file when the user opens the call.
 */

/** Why a call has no output to show. */
export type NoOutput =
  /** The call has not ended. */
  | "running"
  /** The agent's file has no output of the call. */
  | "not_recorded"
  /** The output is empty. */
  | "empty";

/** A tool call, read from the agent's own file. All texts are external and bounded. */
export interface CallDetail {
  readonly callId: string;
  /** The tool. */
  readonly name: string;
  /** The command; for other tools the input as JSON. Empty if the file does not have it. */
  readonly input: string;
  /** `input` is a shell command. */
  readonly isCommand: boolean;
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** Absent if the result is unknown. */
  readonly ok?: boolean;
  readonly exitCode?: number;
  readonly output?: HeadAndTail;
  /** Present without `output`. */
  readonly noOutput?: NoOutput;
}

/** How many characters of an output are read, and how many if the user asks for all of it. */
export const MAX_OUTPUT = 2 * 1024 * 1024;
export const MAX_WHOLE_OUTPUT = 8 * 1024 * 1024;
export const MAX_INPUT = 64 * 1024;

export const NO_OUTPUT_TEXTS: Readonly<Record<NoOutput, string>> = {
  running: "Still running. Its output appears when it ends.",
  not_recorded: "The agent's file does not contain the output of this call.",
  empty: "The call printed nothing.",
};
