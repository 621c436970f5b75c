import { UsageError } from "../../core/error.ts";
import type { TaskToolId, ToolId } from "../../core/guidance/prompts.ts";
import { nearest } from "../../core/text/nearest.ts";
import { TOOLS } from "../../tools/index.ts";
import { toolNames } from "../../tools/names.ts";
import { CLAUDE_TASKS, TASK_TOOLS } from "../../tools/tasks/index.ts";

/** The tools that `--tools` names; none with `WAYMARK_TOOLS=off`. */
export function offeredTools(env: NodeJS.ProcessEnv, given: string | undefined): OfferedTools {
  return toolsNamed(env.WAYMARK_TOOLS === "off" ? [] : namesIn(given));
}

const PLAN = "plan";
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  all: [...TOOLS.map(({ id }) => id), ...TASK_TOOLS.map(({ id }) => id), PLAN],
  "claude-tasks": CLAUDE_TASKS,
};

function namesIn(given = "todos"): readonly string[] {
  return given
    .split(",")
    .map((name) => name.trim())
    .flatMap((name) => (Object.hasOwn(GROUPS, name) && GROUPS[name]) || [name]);
}

/** The tools that a server offers. */
export interface OfferedTools {
  readonly tools: readonly ToolId[];
  readonly taskTools: readonly TaskToolId[];
  readonly plans: boolean;
}

function toolsNamed(names: readonly string[]): OfferedTools {
  const isNamed = (tool: { readonly id: string; readonly name?: string }) =>
    names.includes(tool.id) || (tool.name !== undefined && names.includes(tool.name));
  const known = [...toolNames(), PLAN];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const all = [...known, ...Object.keys(GROUPS)];
    const similar = nearest(unknown, all);
    const hint = similar ? ` Did you mean ${similar}?` : "";
    throw new UsageError(
      `Unknown tool "${unknown.slice(0, 40)}".${hint} Available tools: ${all.join(", ")}.`,
    );
  }
  return {
    tools: TOOLS.filter(isNamed).map(({ id }) => id),
    taskTools: TASK_TOOLS.filter(isNamed).map(({ id }) => id),
    plans: names.includes(PLAN),
  };
}
