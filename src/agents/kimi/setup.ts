import type { AgentSetup } from "../common/setup/agent.ts";
import { hookCommand, serverArguments } from "../common/setup/commands.ts";
import type { ConfigItem } from "../common/setup/config-item.ts";
import { identity } from "./identity.ts";

const EVENTS = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PermissionRequest",
  "PermissionResult",
  "Stop",
  "PostCompact",
  "SessionEnd",
];

export const setup: AgentSetup = {
  userOnly: true,
  folder: ({ env, home, join }) => env.KIMI_CODE_HOME || join(home, ".kimi-code"),
  events: () => EVENTS,
  files(request) {
    const { mode, machine, program } = request;
    const folder = setup.folder(machine);
    const hooks = EVENTS.map((event): ConfigItem => {
      const command = hookCommand(identity.shortName, event, program, machine.platform, request);
      return { kind: "hook", path: ["hooks"], value: { event, command } };
    });
    const config = { format: "toml" as const, path: machine.join(folder, "config.toml") };
    if (mode === "native") return [{ ...config, items: hooks }];
    return [
      {
        ...config,
        items: [{ kind: "member", path: ["tools", "disabled"], value: "TodoList" }, ...hooks],
      },
      {
        format: "json",
        path: machine.join(folder, "mcp.json"),
        items: [
          {
            kind: "entry",
            is: "server",
            path: ["mcpServers", "waymark"],
            value: { command: program.command, args: serverArguments(request) },
          },
        ],
      },
    ];
  },
  notes: () => [
    "Kimi Code shows reminders to you as well, and takes them with a prompt or at the end of a turn only.",
    "Running Kimi Code sessions keep their old settings. Restart them.",
  ],
};
