import { isAtLeast } from "../../core/text/version.ts";
import type { Mode, Occasion, SetupPart } from "../common/setup/agent.ts";
import { commandLine, serverArguments } from "../common/setup/commands.ts";
import { hookWishes } from "../common/setup/hooks.ts";
import type { Wish } from "../common/setup/wish.ts";
import { identity } from "./identity.ts";

/**
 * A settings file that names an event which the program does not know makes it run no hook at all
 * (seen in 2.0.77 and 2.1.50), so newer ones are written only for a version that has them.
 */
const EVENTS: readonly { readonly event: string; readonly since?: string }[] = [
  { event: "SessionStart" },
  { event: "UserPromptSubmit" },
  { event: "PreToolUse" },
  { event: "PostToolUse" },
  // A tool that fails fires this one instead.
  { event: "PostToolUseFailure" },
  // A dialog that waits for the user, at once; Notification repeats it after six seconds.
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

export const setup: SetupPart = {
  byVersion: true,
  folder: ({ env, home, join }) => env.CLAUDE_CONFIG_DIR || join(home, ".claude"),
  events: ({ version }) =>
    EVENTS.filter(
      ({ since }) => since === undefined || (version !== undefined && isAtLeast(version, since)),
    ).map(({ event }) => event),
  files(occasion) {
    const { mode, machine, project, program } = occasion;
    const { join } = machine;
    const server: Wish = {
      kind: "entry",
      is: "server",
      path: ["mcpServers", "waymark"],
      value: {
        type: "stdio",
        command: program.command,
        args: serverArguments(occasion),
        // Otherwise the model sees only the tool's name until it searches for it.
        alwaysLoad: true,
      },
    };
    const servers = mode === "waymark" ? [server] : [];
    const settings = project === undefined ? setup.folder(machine) : join(project, ".claude");
    return [
      { format: "json", path: join(settings, "settings.json"), wishes: settingsWishes(occasion) },
      { format: "json", path: serversFile(occasion), wishes: servers },
    ];
  },
  remarks({ mode, project, version }) {
    return [
      "Sessions of Claude Code that are running keep their old settings; start them anew.",
      ...(project === undefined
        ? []
        : ["Claude Code asks once whether you trust this folder and its MCP server."]),
      ...(mode === "native"
        ? ["Its list is searched for by the model; ENABLE_TOOL_SEARCH=false shows it at once."]
        : []),
      ...(version === undefined
        ? [
            "Its version could not be found out, so only events that every version knows are hooked.",
          ]
        : []),
    ];
  },
};

function serversFile({ machine, project, exists }: Occasion): string {
  const { env, home, join } = machine;
  if (project !== undefined) return join(project, ".mcp.json");
  // Where an older version kept it, the program goes on keeping it.
  const older = join(setup.folder(machine), ".config.json");
  return exists(older) ? older : join(env.CLAUDE_CONFIG_DIR || home, ".claude.json");
}

function settingsWishes(occasion: Occasion): readonly Wish[] {
  const { program, machine, mode } = occasion;
  return [
    ...hookWishes(identity.shortName, setup.events(occasion), occasion),
    {
      kind: "entry",
      is: "status line",
      path: ["statusLine"],
      value: { type: "command", command: commandLine(program, ["statusline"], machine.platform) },
    },
    ...LIST[mode],
  ];
}

const LIST: Readonly<Record<Mode, readonly Wish[]>> = {
  waymark: [
    { kind: "member", path: ["permissions", "allow"], value: "mcp__waymark" },
    ...LIST_TOOLS.map((value): Wish => ({ kind: "member", path: ["permissions", "deny"], value })),
  ],
  native: [{ kind: "setting", path: ["env", "CLAUDE_CODE_ENABLE_TODO_TOOLS"], value: "1" }],
};
