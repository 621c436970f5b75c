import { UsageError } from "../../core/error.ts";
import type { TaskToolId, ToolId } from "../../core/guidance/prompts.ts";
import { nearest } from "../../core/text/nearest.ts";
import { TOOLS } from "../../tools/index.ts";
import { toolNames } from "../../tools/names.ts";
import { CLAUDE_TASKS, TASK_TOOLS } from "../../tools/tasks/index.ts";

/** The tools that were asked for by name; none where they are switched off. */
export function offeredTools(env: NodeJS.ProcessEnv, given: string | undefined): OfferedTools {
  return chosen(env.WAYMARK_TOOLS === "off" ? [] : namesIn(given));
}

/** The tool for plans, which writes no list. */
const PLAN = "plan";
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  all: TOOLS.map(({ id }) => id),
  "claude-tasks": CLAUDE_TASKS,
};

function namesIn(given = "todos"): readonly string[] {
  return given
    .split(",")
    .map((name) => name.trim())
    .flatMap((name) => (Object.hasOwn(GROUPS, name) && GROUPS[name]) || [name]);
}

/** What a server of ours offers to a model. */
export interface OfferedTools {
  readonly tools: readonly ToolId[];
  readonly taskTools: readonly TaskToolId[];
  readonly plans: boolean;
}

function chosen(names: readonly string[]): OfferedTools {
  const isNamed = (tool: { readonly id: string; readonly name?: string }) =>
    names.includes(tool.id) || (tool.name !== undefined && names.includes(tool.name));
  const known = [...toolNames(), PLAN];
  const wrong = names.find((name) => !known.includes(name));
  if (wrong !== undefined) {
    const all = [...known, ...Object.keys(GROUPS)];
    const meant = nearest(wrong, all);
    const hint = meant ? ` Did you mean ${meant}?` : "";
    throw new UsageError(
      `There is no tool "${wrong.slice(0, 40)}".${hint} The tools are ${all.join(", ")}.`,
    );
  }
  return {
    tools: TOOLS.filter(isNamed).map(({ id }) => id),
    taskTools: TASK_TOOLS.filter(isNamed).map(({ id }) => id),
    plans: names.includes(PLAN),
  };
}
