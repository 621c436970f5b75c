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
  "Stop",
  "SessionEnd",
];

const PLUGIN = ["plugins", "entries", "waymark"];

export const setup: AgentSetup = {
  userOnly: true,
  folder: ({ env, home, join }) => env.OPENCLAW_STATE_DIR || join(home, ".openclaw"),
  events: () => EVENTS,
  files(request) {
    const { mode, machine, program } = request;
    const { env, join } = machine;
    const folder = setup.folder(machine);
    const plugin = pluginFile(
      { agent: identity.shortName, body: PLUGIN_BODY, events: EVENTS },
      // OpenClaw looks for the settings of a plugin by the name of its file.
      join(folder, "waymark", "waymark.js"),
      request,
    );
    const list: readonly ConfigItem[] =
      mode === "native"
        ? []
        : [
            {
              kind: "entry",
              is: "server",
              path: ["mcp", "servers", "waymark"],
              value: {
                command: program.command,
                args: serverArguments(request),
                // OpenClaw passes only few variables on.
                ...(env.WAYMARK_HOME && { env: { WAYMARK_HOME: env.WAYMARK_HOME } }),
              },
            },
            { kind: "member", path: ["tools", "deny"], value: "progress_card" },
          ];
    return [
      {
        format: "json",
        path: env.OPENCLAW_CONFIG_PATH || join(folder, "openclaw.json"),
        items: [
          ...list,
          { kind: "member", path: ["plugins", "load", "paths"], value: plugin.path },
          { kind: "setting", path: [...PLUGIN, "enabled"], value: true },
          { kind: "setting", path: [...PLUGIN, "hooks", "allowConversationAccess"], value: true },
        ],
        ignoredKeys: ["meta"],
      },
      plugin,
    ];
  },
  notes: () => [
    'If your configuration has "plugins.allow", add "waymark" to it.',
    "OpenClaw takes reminders with a prompt only, and runs no plugins in `openclaw agent exec`.",
    "Restart the Gateway: openclaw gateway restart",
  ],
};
