// Written by scripts/agent-data.mjs from the registry of agents. Do not edit.

/** Events before a call: recorded, and answered only to deny the call. */
export const BEFORE_CALL: readonly string[] = ["PreToolUse", "BeforeTool"];
/** Events after a call. */
export const AFTER_CALL: readonly string[] = ["PostToolUse", "PostToolUseFailure", "AfterTool"];
export const PROMPTS: readonly string[] = ["UserPromptSubmit", "BeforeAgent"];
export const STOPS: readonly string[] = ["Stop", "AfterAgent"];
/** Prefixes of the events after a call. */
export const COUNTED: readonly string[] = ["Post", "After"];
/** Prefixes of the names of the agents' own list tools. */
export const LIST_TOOLS: readonly string[] = [
  "[Tt]odo",
  "Task",
  "update_plan",
  "write_todos",
  "sql",
  "progress_card",
];
/** Names of the agents' own tools that edit files. */
export const EDIT_TOOLS: readonly string[] = [
  "Edit",
  "MultiEdit",
  "NotebookEdit",
  "Write",
  "apply_patch",
  "ast_edit",
  "create",
  "edit",
  "multiedit",
  "notebook_edit",
  "patch",
  "replace",
  "write",
  "write_file",
];
