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
  "PermissionRequest",
  "Stop",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "PostCompact",
  "SessionEnd",
];

const LIST = ["tools", "update_plan", "enabled"];

export const setup: AgentSetup = {
  folder: ({ env, home, join }) => env.CODEX_HOME || join(home, ".codex"),
  events: () => EVENTS,
  files(request) {
    const { mode, machine, project, program, exists } = request;
    const { join } = machine;
    const folder = project === undefined ? setup.folder(machine) : join(project, ".codex");
    const server: ConfigItem = {
      kind: "entry",
      is: "server",
      path: ["mcp_servers", "waymark"],
      value: {
        command: program.command,
        args: serverArguments(request),
        // Codex does not pass its environment to MCP servers. Ours must use the same store as the hooks.
        env_vars: ["WAYMARK_HOME", "WAYMARK_STORE"],
        // The tool only writes the list. Without this, Codex asks for approval of every write.
        default_tools_approval_mode: "approve",
      },
    };
    const hooks = hookItems(identity.shortName, setup.events(request), request);
    const list: readonly ConfigItem[] =
      mode === "native"
        ? [{ kind: "setting", path: LIST, value: true }]
        : [server, { kind: "setting", path: LIST, value: false, onlyIfSet: true }];
    // Codex warns if a directory has hooks in both files.
    const hooksFile = join(folder, "hooks.json");
    const config = join(folder, "config.toml");
    return exists(hooksFile)
      ? [
          { format: "toml", path: config, items: list },
          { format: "json", path: hooksFile, items: hooks },
        ]
      : [{ format: "toml", path: config, items: [...list, ...hooks] }];
  },
  notes: ({ project }) => [
    "Codex runs only trusted hooks: start codex, open /hooks and trust the waymark hooks.",
    ...(project === undefined
      ? []
      : ["Codex reads .codex/config.toml only in trusted directories."]),
    "Running Codex sessions keep their old settings. Restart them.",
  ],
};
