import type { AgentSetup, SetupRequest } from "../common/setup/agent.ts";
import { serverArguments } from "../common/setup/commands.ts";
import type { ConfigItem } from "../common/setup/config-item.ts";
import { hookItems } from "../common/setup/hooks.ts";
import { CLAUDE_TASKS } from "../task-tool-ids.ts";
import { identity } from "./identity.ts";

const EVENTS = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  // Replaces PostToolUse for failed calls, in newer versions.
  "PostToolUseFailure",
  "PermissionRequest",
  "Notification",
  "Stop",
  "SubagentStop",
  "PreCompact",
  "PostCompact",
  "SessionEnd",
];

export const setup: AgentSetup = {
  folder: ({ env, home, join }) => env.QWEN_HOME || join(home, ".qwen"),
  events: ({ mode }) => (mode === "native" ? [...EVENTS, "TodoCreated", "TodoCompleted"] : EVENTS),
  files(request) {
    const { mode, machine, project, program } = request;
    const { join } = machine;
    const folder = project === undefined ? setup.folder(machine) : join(project, ".qwen");
    const hooks = hookItems(identity.shortName, setup.events(request), request, {
      name: "waymark",
    });
    const list: readonly ConfigItem[] =
      mode === "native"
        ? [{ kind: "setting", path: ["tools", "todoWrite", "enabled"], value: true }]
        : [
            {
              kind: "entry",
              is: "server",
              path: ["mcpServers", "waymark"],
              value: { command: program.command, args: serverArguments(request), trust: true },
            },
            ...visible(request).map(
              (value): ConfigItem => ({ kind: "member", path: ["tools", "visible"], value }),
            ),
            // The only way to turn off `todo_write` in versions before 0.24.
            { kind: "member", path: ["permissions", "deny"], value: "todo_write" },
          ];
    return [
      {
        format: "json",
        path: join(folder, "settings.json"),
        items: [...list, ...hooks],
        ignoredKeys: ["$version"],
      },
    ];
  },
  notes: ({ project }) => [
    ...(project === undefined ? [] : ["Qwen Code runs the hooks of trusted directories only."]),
    "Running Qwen Code sessions keep their old settings. Restart them.",
  ],
};

/** Qwen Code hides MCP tools behind a search, except those listed here. */
function visible({ extras = [] }: SetupRequest): readonly string[] {
  const names = extras.flatMap((extra): readonly string[] =>
    extra === "claude-tasks" ? CLAUDE_TASKS : [extra],
  );
  return ["todos", ...names].map((name) => `mcp__waymark__${name}`);
}
