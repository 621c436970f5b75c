import type { Occasion, SetupPart } from "../common/setup/agent.ts";
import { serverArguments } from "../common/setup/commands.ts";
import { hookWishes } from "../common/setup/hooks.ts";
import type { Wish } from "../common/setup/wish.ts";
import { CLAUDE_TASKS } from "../task-tool-ids.ts";
import { identity } from "./identity.ts";

const EVENTS = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  // A tool that fails fires this one instead, in newer versions.
  "PostToolUseFailure",
  "PermissionRequest",
  "Notification",
  "Stop",
  "SubagentStop",
  "PreCompact",
  "PostCompact",
  "SessionEnd",
];

export const setup: SetupPart = {
  folder: ({ env, home, join }) => env.QWEN_HOME || join(home, ".qwen"),
  events: ({ mode }) => (mode === "native" ? [...EVENTS, "TodoCreated", "TodoCompleted"] : EVENTS),
  files(occasion) {
    const { mode, machine, project, program } = occasion;
    const { join } = machine;
    const folder = project === undefined ? setup.folder(machine) : join(project, ".qwen");
    const hooks = hookWishes(identity.shortName, setup.events(occasion), occasion, {
      name: "waymark",
    });
    const list: readonly Wish[] =
      mode === "native"
        ? [{ kind: "setting", path: ["tools", "todoWrite", "enabled"], value: true }]
        : [
            {
              kind: "entry",
              is: "server",
              path: ["mcpServers", "waymark"],
              value: { command: program.command, args: serverArguments(occasion), trust: true },
            },
            ...visible(occasion).map(
              (value): Wish => ({ kind: "member", path: ["tools", "visible"], value }),
            ),
            // Versions before 0.24 offer it and know no other way to be told not to.
            { kind: "member", path: ["permissions", "deny"], value: "todo_write" },
          ];
    return [
      {
        format: "json",
        path: join(folder, "settings.json"),
        wishes: [...list, ...hooks],
        agentsOwn: ["$version"],
      },
    ];
  },
  remarks: ({ project }) => [
    ...(project === undefined
      ? []
      : ["Qwen Code runs the hooks of a folder only when you trust it."]),
    "Sessions of Qwen Code that are running keep their old settings; start them anew.",
  ],
};

/** It hides the tools of servers behind a search; each that is to be seen is named. */
function visible({ extras = [] }: Occasion): readonly string[] {
  const names = extras.flatMap((extra): readonly string[] =>
    extra === "claude-tasks" ? CLAUDE_TASKS : [extra],
  );
  return ["todos", ...names].map((name) => `mcp__waymark__${name}`);
}
