import { isAtLeast } from "../../core/text/version.ts";
import type { AgentSetup, Mode, SetupRequest } from "../common/setup/agent.ts";
import { commandLine, serverArguments } from "../common/setup/commands.ts";
import type { ConfigItem } from "../common/setup/config-item.ts";
import { hookItems } from "../common/setup/hooks.ts";
import { identity } from "./identity.ts";

/**
 * Claude Code runs no hook at all from a settings file that names an unknown event (seen in 2.0.77 and 2.1.50), so
 * newer events are only written for versions that have them.
 */
const EVENTS: readonly { readonly event: string; readonly since?: string }[] = [
  { event: "SessionStart" },
  { event: "UserPromptSubmit" },
  { event: "PreToolUse" },
  { event: "PostToolUse" },
  // Replaces PostToolUse for failed calls.
  { event: "PostToolUseFailure" },
  // A dialog opened. Notification repeats it after six seconds.
  { event: "PermissionRequest" },
  { event: "Notification" },
  { event: "Stop" },
  { event: "SubagentStop" },
  { event: "PreCompact" },
  { event: "PostCompact", since: "2.1.90" },
  { event: "TaskCreated", since: "2.1.90" },
  { event: "TaskCompleted", since: "2.1.50" },
  { event: "SessionEnd" },
];

const LIST_TOOLS = ["TodoWrite", "TaskCreate", "TaskUpdate", "TaskGet", "TaskList"];

export const setup: AgentSetup = {
  versionSpecific: true,
  folder: ({ env, home, join }) => env.CLAUDE_CONFIG_DIR || join(home, ".claude"),
  events: ({ version }) =>
    EVENTS.filter(
      ({ since }) => since === undefined || (version !== undefined && isAtLeast(version, since)),
    ).map(({ event }) => event),
  files(request) {
    const { mode, machine, project, program } = request;
    const { join } = machine;
    const server: ConfigItem = {
      kind: "entry",
      is: "server",
      path: ["mcpServers", "waymark"],
      value: {
        type: "stdio",
        command: program.command,
        args: serverArguments(request),
        // Otherwise the model sees only the tool's name until it searches for the tool.
        alwaysLoad: true,
      },
    };
    const servers = mode === "waymark" ? [server] : [];
    const settings = project === undefined ? setup.folder(machine) : join(project, ".claude");
    return [
      { format: "json", path: join(settings, "settings.json"), items: settingsWishes(request) },
      { format: "json", path: serversFile(request), items: servers },
    ];
  },
  notes({ mode, project, version }) {
    return [
      "Running Claude Code sessions keep their old settings. Restart them.",
      ...(project === undefined
        ? []
        : ["Claude Code asks once whether you trust this folder and its MCP server."]),
      ...(mode === "native"
        ? [
            "The model has to search for its list tool. Set ENABLE_TOOL_SEARCH=false to load it at start.",
          ]
        : []),
      ...(version === undefined
        ? [
            "The version of Claude Code is unknown, so setup hooks only the events that every version has.",
          ]
        : []),
    ];
  },
};

function serversFile({ machine, project, exists }: SetupRequest): string {
  const { env, home, join } = machine;
  if (project !== undefined) return join(project, ".mcp.json");
  // Claude Code keeps using the file of an older version.
  const older = join(setup.folder(machine), ".config.json");
  return exists(older) ? older : join(env.CLAUDE_CONFIG_DIR || home, ".claude.json");
}

function settingsWishes(request: SetupRequest): readonly ConfigItem[] {
  const { program, machine, mode } = request;
  return [
    ...hookItems(identity.shortName, setup.events(request), request),
    {
      kind: "entry",
      is: "status line",
      path: ["statusLine"],
      value: { type: "command", command: commandLine(program, ["statusline"], machine.platform) },
    },
    ...LIST[mode],
  ];
}

const LIST: Readonly<Record<Mode, readonly ConfigItem[]>> = {
  waymark: [
    { kind: "member", path: ["permissions", "allow"], value: "mcp__waymark" },
    ...LIST_TOOLS.map(
      (value): ConfigItem => ({ kind: "member", path: ["permissions", "deny"], value }),
    ),
  ],
  native: [{ kind: "setting", path: ["env", "CLAUDE_CODE_ENABLE_TODO_TOOLS"], value: "1" }],
};
