import { afterEach, beforeEach, expect, it } from "vitest";
import { summaryLines } from "../../../src/setup/text/summary.ts";
import { newSandbox } from "./sandbox.ts";

let sandbox: ReturnType<typeof newSandbox>;
beforeEach(() => {
  sandbox = newSandbox();
});
afterEach(() => sandbox.end());

const path = (name: string) => sandbox.path(name);

it("lists the items of each new file", () => {
  expect(summaryLines(sandbox.planned("claude", "waymark", { version: "2.1.325" }))).toEqual([
    "Set up Waymark in Claude Code:",
    `  create ${path(".claude/settings.json")}`,
    "    add 14 hooks",
    "    add the status line",
    "    add to permissions.allow: mcp__waymark",
    "    add to permissions.deny: TodoWrite, TaskCreate, TaskUpdate, TaskGet, TaskList",
    `  create ${path(".claude.json")}`,
    "    add the MCP server waymark",
  ]);
});

it("lists only what differs from an earlier setup", () => {
  sandbox.setUp("claude", "waymark", { version: "2.1.325" });
  const tools = { version: "2.1.325", extras: ["tasks"] } as const;
  expect(summaryLines(sandbox.planned("claude", "waymark", tools))).toEqual([
    "Set up Waymark in Claude Code:",
    `  edit ${path(".claude.json")}`,
    "    update the MCP server waymark",
  ]);
  expect(summaryLines(sandbox.planned("claude", "native", { version: "2.0.77" }))).toEqual([
    "Set up Waymark in Claude Code:",
    `  edit ${path(".claude/settings.json")}`,
    "    update 11 hooks",
    "    remove 3 hooks",
    "    remove from permissions.allow: mcp__waymark",
    "    remove from permissions.deny: TodoWrite, TaskCreate, TaskUpdate, TaskGet, TaskList",
    '    set env.CLAUDE_CODE_ENABLE_TODO_TOOLS = "1"',
    `  delete ${path(".claude.json")}`,
    "    remove the MCP server waymark",
  ]);
});

it("lists settings that a setup changes and a removal restores", () => {
  sandbox.write(".codex/config.toml", "[tools.update_plan]\nenabled = true\n");
  expect(summaryLines(sandbox.planned("codex", "waymark"))).toEqual([
    "Set up Waymark in Codex:",
    `  edit ${path(".codex/config.toml")}`,
    "    add the MCP server waymark",
    "    set tools.update_plan.enabled = false",
    "    add 11 hooks",
  ]);
  sandbox.setUp("codex");
  expect(summaryLines(sandbox.removal("codex"))).toEqual([
    "Remove Waymark from Codex:",
    `  edit ${path(".codex/config.toml")}`,
    "    remove the MCP server waymark",
    "    set tools.update_plan.enabled = true",
    "    remove 11 hooks",
  ]);
  sandbox.remove("codex");
  sandbox.write(".codex/config.toml", "");
  sandbox.setUp("codex", "native");
  expect(summaryLines(sandbox.removal("codex"))).toEqual([
    "Remove Waymark from Codex:",
    `  edit ${path(".codex/config.toml")}`,
    "    unset tools.update_plan.enabled",
    "    remove 11 hooks",
  ]);
});

it("names files that setup owns as a whole", () => {
  const plugin = path(".config/opencode/plugin/waymark.js");
  expect(summaryLines(sandbox.planned("opencode", "waymark"))).toContain(`  create ${plugin}`);
  sandbox.setUp("opencode");
  expect(summaryLines(sandbox.removal("opencode"))).toContain(`  delete ${plugin}`);
});
