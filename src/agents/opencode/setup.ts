import type { AgentSetup, SetupRequest } from "../common/setup/agent.ts";
import { serverArguments } from "../common/setup/commands.ts";
import type { ConfigItem } from "../common/setup/config-item.ts";
import { pluginFile } from "../common/setup/plugin.ts";
import { identity } from "./identity.ts";
import { PLUGIN_BODY, REQUEST_EVENTS } from "./plugin.ts";

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

/** The configuration files of opencode or of a fork of it. */
interface Family {
  readonly agent: string;
  readonly name: string;
  /** The environment variables of the configuration directory and file. */
  readonly folderVariable: string;
  readonly fileVariable: string;
  /** The directory below `~/.config`. */
  readonly folder: string;
  /** The directory for plugins in a project. */
  readonly projectFolder: string;
  /** Names of the configuration file; the last one is created. */
  readonly fileNames: readonly [string, ...string[]];
}

export const setup = setupOf({
  agent: identity.shortName,
  name: identity.name,
  folderVariable: "OPENCODE_CONFIG_DIR",
  fileVariable: "OPENCODE_CONFIG",
  folder: "opencode",
  projectFolder: ".opencode",
  fileNames: ["opencode.jsonc", "opencode.json"],
});

/** The setup of opencode or of a fork of it. */
export function setupOf(family: Family): AgentSetup {
  const folderOf: AgentSetup["folder"] = ({ env, home, join }) =>
    env[family.folderVariable] || join(env.XDG_CONFIG_HOME || join(home, ".config"), family.folder);
  return {
    folder: folderOf,
    cannotDeny: true,
    events: () => EVENTS,
    files: (request) => filesOf(family, folderOf(request.machine), request),
    notes: () => [
      `A running ${family.name} keeps its old settings. Restart it.`,
      `At its next start, ${family.name} downloads its plugin package once, which may take a minute.`,
    ],
  };
}

function filesOf(family: Family, userFolder: string, request: SetupRequest) {
  const { mode, machine, project, program, exists } = request;
  const { join } = machine;
  const folder = project === undefined ? userFolder : join(project, family.projectFolder);
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
  return [
    {
      format: "json",
      path: configFile(family, userFolder, request),
      items: list,
      ignoredKeys: ["$schema"],
    },
    pluginFile(
      { agent: family.agent, body: PLUGIN_BODY, events: EVENTS },
      join(plugins, PLUGIN),
      request,
    ),
  ] as const;
}

function configFile(
  { fileVariable, fileNames }: Family,
  userFolder: string,
  { machine, project, exists }: SetupRequest,
): string {
  const { env, join } = machine;
  const given = env[fileVariable];
  if (project === undefined && given) return given;
  const folder = project ?? userFolder;
  const existing = fileNames.find((name) => exists(join(folder, name)));
  return join(folder, existing ?? fileNames.at(-1) ?? fileNames[0]);
}
