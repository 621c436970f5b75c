import type { SetupPart } from "../common/setup/agent.ts";
import { serverArguments } from "../common/setup/commands.ts";
import { hookWishes } from "../common/setup/hooks.ts";
import type { Wish } from "../common/setup/wish.ts";
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

export const setup: SetupPart = {
  folder: ({ env, home, join }) => env.CODEX_HOME || join(home, ".codex"),
  events: () => EVENTS,
  files(occasion) {
    const { mode, machine, project, program, exists } = occasion;
    const { join } = machine;
    const folder = project === undefined ? setup.folder(machine) : join(project, ".codex");
    const server: Wish = {
      kind: "entry",
      is: "server",
      path: ["mcp_servers", "waymark"],
      value: {
        command: program.command,
        args: serverArguments(occasion),
        // Codex keeps the environment from its servers; ours must look where the hooks write.
        env_vars: ["WAYMARK_HOME", "WAYMARK_STORE"],
        // The tool writes nothing but the list; without this every write of it is asked about.
        default_tools_approval_mode: "approve",
      },
    };
    const hooks = hookWishes(identity.shortName, setup.events(occasion), occasion);
    const list: readonly Wish[] =
      mode === "native"
        ? [{ kind: "setting", path: LIST, value: true }]
        : [server, { kind: "setting", path: LIST, value: false, onlyIfSet: true }];
    // Codex warns of a folder that has hooks in both files.
    const apart = join(folder, "hooks.json");
    const config = join(folder, "config.toml");
    return exists(apart)
      ? [
          { format: "toml", path: config, wishes: list },
          { format: "json", path: apart, wishes: hooks },
        ]
      : [{ format: "toml", path: config, wishes: [...list, ...hooks] }];
  },
  remarks: ({ project }) => [
    "Codex runs no hook that you have not trusted: start codex, open /hooks, and trust those of waymark.",
    ...(project === undefined
      ? []
      : ["Codex reads .codex/config.toml only in a folder that you have marked as trusted."]),
    "Sessions of Codex that are running keep their old settings; start them anew.",
  ],
};
