import type { AgentSetup } from "../common/setup/agent.ts";
import { serverArguments } from "../common/setup/commands.ts";
import type { ConfigItem } from "../common/setup/config-item.ts";
import { hookItems } from "../common/setup/hooks.ts";
import { identity } from "./identity.ts";

// Without PreCompress: it fires before every model request and reports nothing.
const EVENTS = [
  "SessionStart",
  "BeforeAgent",
  "BeforeTool",
  "AfterTool",
  "Notification",
  "AfterAgent",
  "SessionEnd",
];

export const setup: AgentSetup = {
  folder: ({ env, home, join }) => join(env.GEMINI_CLI_HOME || home, ".gemini"),
  events: () => EVENTS,
  files(request) {
    const { mode, machine, project, program } = request;
    const { join } = machine;
    const folder = project === undefined ? setup.folder(machine) : join(project, ".gemini");
    const server: ConfigItem = {
      kind: "entry",
      is: "server",
      path: ["mcpServers", "waymark"],
      value: { command: program.command, args: serverArguments(request), trust: true },
    };
    const hooks = hookItems(identity.shortName, setup.events(request), request, {
      name: "waymark",
    });
    const list: readonly ConfigItem[] =
      mode === "native"
        ? [{ kind: "setting", path: ["useWriteTodos"], value: true, onlyIfSet: true }]
        : [server, { kind: "setting", path: ["useWriteTodos"], value: false }];
    return [{ format: "json", path: join(folder, "settings.json"), items: [...list, ...hooks] }];
  },
  notes: ({ mode, project }) => [
    ...(mode === "native"
      ? [
          "Gemini CLI offers its list to 2.x models only, and only if the model is named: gemini -m gemini-2.5-pro",
        ]
      : []),
    ...(project === undefined
      ? []
      : [
          "Gemini CLI reads the settings of trusted directories only, and asks once about their hooks.",
        ]),
    "Running Gemini CLI sessions keep their old settings. Restart them.",
  ],
};
