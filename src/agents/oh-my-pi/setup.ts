import type { AgentSetup } from "../common/setup/agent.ts";
import { serverArguments } from "../common/setup/commands.ts";
import type { ConfigItem } from "../common/setup/config-item.ts";
import { pluginFile } from "../common/setup/plugin.ts";
import { identity } from "./identity.ts";
import { PLUGIN_BODY } from "./plugin.ts";

const EVENTS = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "PermissionRequest",
  "PermissionResult",
  "Stop",
  "SubagentStop",
  "SessionEnd",
];

export const setup: AgentSetup = {
  folder: ({ env, home, join }) =>
    env.PI_CODING_AGENT_DIR || join(home, env.PI_CONFIG_DIR || ".omp", "agent"),
  events: () => EVENTS,
  files(request) {
    const { mode, machine, project, program } = request;
    const { join } = machine;
    const folder = project === undefined ? setup.folder(machine) : join(project, ".omp");
    const server: ConfigItem = {
      kind: "entry",
      is: "server",
      path: ["mcpServers", "waymark"],
      value: { type: "stdio", command: program.command, args: serverArguments(request) },
    };
    return [
      ...(mode === "native"
        ? []
        : [{ format: "json" as const, path: join(folder, "mcp.json"), items: [server] }]),
      pluginFile(
        { agent: identity.shortName, body: PLUGIN_BODY, events: EVENTS },
        join(folder, "extensions", "waymark.js"),
        request,
      ),
    ];
  },
  notes: () => ["Running oh-my-pi sessions keep their old settings. Restart them."],
};
