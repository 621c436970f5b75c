import type { AgentSetup, SetupRequest } from "../common/setup/agent.ts";
import { hookCommand, serverArguments } from "../common/setup/commands.ts";
import type { ConfigItem } from "../common/setup/config-item.ts";
import { identity } from "./identity.ts";
import { isPluginText, PLUGIN_MARK, pluginText, REQUEST_EVENTS } from "./plugin.ts";

const EVENTS = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  ...REQUEST_EVENTS,
  "Stop",
  "PreCompact",
  "PostCompact",
  "SessionEnd",
];

const PLUGIN = "waymark.js";

export const setup: AgentSetup = {
  folder: ({ env, home, join }) =>
    env.OPENCODE_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode"),
  cannotDeny: true,
  events: () => EVENTS,
  files(request) {
    const { mode, machine, project, program, exists } = request;
    const { join } = machine;
    const folder = project === undefined ? setup.folder(machine) : join(project, ".opencode");
    const list: readonly ConfigItem[] =
      mode === "native"
        ? []
        : [
            {
              kind: "entry",
              is: "server",
              path: ["mcp", "waymark"],
              value: {
                type: "local",
                command: [program.command, ...serverArguments(request)],
                enabled: true,
              },
            },
            {
              kind: "setting",
              path: ["permission", "todowrite"],
              value: "deny",
              // `permission` may be a string, short for an object with the key "*".
              shorthandKey: "*",
            },
          ];
    const directories = ["plugin", "plugins"].map((name) => join(folder, name));
    const plugins =
      directories.find((directory) => exists(join(directory, PLUGIN))) ??
      directories.find((directory) => exists(directory)) ??
      join(folder, "plugin");
    const commands = EVENTS.map(
      (event) =>
        [
          event,
          hookCommand(identity.shortName, event, program, machine.platform, { mode }),
        ] as const,
    );
    return [
      { format: "json", path: configFile(request), items: list, ignoredKeys: ["$schema"] },
      {
        format: "own",
        path: join(plugins, PLUGIN),
        content: pluginText(Object.fromEntries(commands)),
        marker: PLUGIN_MARK,
        isUnchanged: isPluginText,
      },
    ];
  },
  notes: () => [
    "A running opencode keeps its old settings. Restart it.",
    "At its next start, opencode downloads its plugin package once, which may take a minute.",
  ],
};

function configFile({ machine, project, exists }: SetupRequest): string {
  const { env, join } = machine;
  if (project === undefined && env.OPENCODE_CONFIG) return env.OPENCODE_CONFIG;
  const folder = project ?? setup.folder(machine);
  const names = ["opencode.jsonc", "opencode.json"];
  const existing = names.find((name) => exists(join(folder, name)));
  return join(folder, existing ?? "opencode.json");
}
