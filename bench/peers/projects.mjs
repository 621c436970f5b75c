import { join } from "node:path";
import { backlog } from "./backlog.mjs";
import { NOT_INSTALLED } from "./brought.mjs";
import { dex } from "./dex.mjs";
import { shrimp } from "./shrimp.mjs";
import { waymark } from "./waymark.mjs";

export const TOOLS = [waymark, backlog, dex, shrimp];

/** A project with this many tasks for every tool, and a row for each tool that is unavailable. */
export async function projects(folder, count) {
  const there = new Map();
  const reasons = new Map();
  for (const tool of TOOLS)
    try {
      if (!tool.isThere()) throw new Error(NOT_INSTALLED);
      const project = await tool.at(join(folder, tool.name.replaceAll(/\W/g, "")));
      if (count > 0) await project.fill(count);
      there.set(tool.name, project);
    } catch (error) {
      if (tool === waymark) throw error;
      reasons.set(tool.name, error.message);
    }
  return {
    there,
    missing: (column) => [...reasons].map(([tool, why]) => ({ tool, [column]: why })),
  };
}
