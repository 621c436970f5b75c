// Written by scripts/agent-data.mjs from the registry of agents. Do not edit.

/** The events before a call: recorded, and never answered unless they refuse it. */
export const BEFORE_CALL: readonly string[] = ["PreToolUse", "BeforeTool"];
/** The events after a call. */
export const AFTER_CALL: readonly string[] = ["PostToolUse", "PostToolUseFailure", "AfterTool"];
export const PROMPTS: readonly string[] = ["UserPromptSubmit", "BeforeAgent"];
export const STOPS: readonly string[] = ["Stop", "AfterAgent"];
/** How the names of the events after a call start. */
export const COUNTED: readonly string[] = ["Post", "After"];
/** How the names of the agents' own list tools start. */
export const LIST_TOOLS: readonly string[] = ["[Tt]odo", "Task", "update_plan", "write_todos"];
