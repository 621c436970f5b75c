import type { AgentSetup } from "../common/setup/agent.ts";
import { serverArguments } from "../common/setup/commands.ts";
import type { ConfigItem } from "../common/setup/config-item.ts";
import { hookItems } from "../common/setup/hooks.ts";
import { identity } from "./identity.ts";

const EVENTS = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "Notification",
  "Stop",
  "SessionEnd",
];

export const setup: AgentSetup = {
  folder: ({ env, home, join }) => env.COPILOT_HOME || join(home, ".copilot"),
  events: () => EVENTS,
  files(request) {
    const { mode, machine, project, program } = request;
    const { join } = machine;
    const folder = setup.folder(machine);
    const server: ConfigItem = {
      kind: "entry",
      is: "server",
      path: ["mcpServers", "waymark"],
      value: {
        type: "local",
        command: program.command,
        args: serverArguments(request),
        tools: ["*"],
      },
    };
    const path =
      project === undefined
        ? { servers: join(folder, "mcp-config.json"), hooks: join(folder, "hooks", "waymark.json") }
        : {
            servers: join(project, ".github", "mcp.json"),
            hooks: join(project, ".github", "hooks", "waymark.json"),
          };
    const hooks = hookItems(identity.shortName, setup.events(request), request);
    return [
      ...(mode === "native"
        ? []
        : [{ format: "json" as const, path: path.servers, items: [server] }]),
      { format: "json", path: path.hooks, items: hooks },
    ];
  },
  notes: ({ mode, project }) => [
    ...(mode === "native"
      ? []
      : ["Copilot CLI keeps its SQL tool: the model may still write todos with it."]),
    ...(project === undefined
      ? []
      : ["Copilot CLI reads the hooks and servers of trusted directories only."]),
    "Running Copilot CLI sessions keep their old settings. Restart them.",
  ],
};
