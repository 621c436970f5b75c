import type { AgentHooks } from "../common/hooks/agent.ts";
import { text } from "../common/values.ts";
import { CLAUDE_EVENTS } from "./hook-events.ts";
import { claudeTasks, claudeTodos } from "./hook-lists.ts";

export const hooks: AgentHooks = {
  waymarkTool: ({ CLAUDE_PLUGIN_ROOT }) =>
    CLAUDE_PLUGIN_ROOT ? "mcp__plugin_waymark_waymark__todos" : "mcp__waymark__todos",
  nativeTool: ({ CLAUDE_CODE_ENABLE_TASKS }, used) =>
    used === "TodoWrite" || (used === undefined && CLAUDE_CODE_ENABLE_TASKS === "0")
      ? "TodoWrite"
      : "TaskCreate and TaskUpdate",
  defersTools: true,
  events: CLAUDE_EVENTS,
  // Up to 2.0. Later versions name the tool Agent and send the subagent id.
  subagentTools: ["Task"],
  transcript: (input) => text(input.agent_transcript_path) ?? text(input.transcript_path),
  editTools: ["Edit", "MultiEdit", "Write", "NotebookEdit"],
  listTools: {
    TodoWrite: claudeTodos,
    TaskCreate: claudeTasks,
    TaskUpdate: claudeTasks,
    TaskList: claudeTasks,
    TaskGet: claudeTasks,
  },
};
