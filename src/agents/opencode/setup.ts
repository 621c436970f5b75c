import type { Occasion, SetupPart } from "../common/setup/agent.ts";
import { hookCommand, serverArguments } from "../common/setup/commands.ts";
import type { Wish } from "../common/setup/wish.ts";
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

export const setup: SetupPart = {
  folder: ({ env, home, join }) =>
    env.OPENCODE_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode"),
  cannotRefuse: true,
  events: () => EVENTS,
  files(occasion) {
    const { mode, machine, project, program, exists } = occasion;
    const { join } = machine;
    const folder = project === undefined ? setup.folder(machine) : join(project, ".opencode");
    const list: readonly Wish[] =
      mode === "native"
        ? []
        : [
            {
              kind: "entry",
              is: "server",
              path: ["mcp", "waymark"],
              value: {
                type: "local",
                command: [program.command, ...serverArguments(occasion)],
                enabled: true,
              },
            },
            {
              kind: "setting",
              path: ["permission", "todowrite"],
              value: "deny",
              // `permission` may be one word for everything, which is the same as "*" in an object.
              around: "*",
            },
          ];
    const places = ["plugin", "plugins"].map((name) => join(folder, name));
    const plugins =
      places.find((place) => exists(join(place, PLUGIN))) ??
      places.find((place) => exists(place)) ??
      join(folder, "plugin");
    const commands = EVENTS.map(
      (event) =>
        [
          event,
          hookCommand(identity.shortName, event, program, machine.platform, { mode }),
        ] as const,
    );
    return [
      { format: "json", path: configFile(occasion), wishes: list, agentsOwn: ["$schema"] },
      {
        format: "own",
        path: join(plugins, PLUGIN),
        content: pluginText(Object.fromEntries(commands)),
        mark: PLUGIN_MARK,
        isUnchanged: isPluginText,
      },
    ];
  },
  remarks: () => [
    "An opencode that is running keeps its old settings; start it anew.",
    "At its next start opencode fetches a package of its own for plugins, which may take a minute, once.",
  ],
};

function configFile({ machine, project, exists }: Occasion): string {
  const { env, join } = machine;
  if (project === undefined && env.OPENCODE_CONFIG) return env.OPENCODE_CONFIG;
  const folder = project ?? setup.folder(machine);
  const names = ["opencode.jsonc", "opencode.json"];
  const there = names.find((name) => exists(join(folder, name)));
  return join(folder, there ?? "opencode.json");
}
