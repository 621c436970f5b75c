import type { SetupPart } from "../common/setup/agent.ts";
import { serverArguments } from "../common/setup/commands.ts";
import { hookWishes } from "../common/setup/hooks.ts";
import type { Wish } from "../common/setup/wish.ts";
import { identity } from "./identity.ts";

// PreCompress would fire before every request to the model, and tells nothing.
const EVENTS = [
  "SessionStart",
  "BeforeAgent",
  "BeforeTool",
  "AfterTool",
  "Notification",
  "AfterAgent",
  "SessionEnd",
];

export const setup: SetupPart = {
  folder: ({ env, home, join }) => join(env.GEMINI_CLI_HOME || home, ".gemini"),
  events: () => EVENTS,
  files(occasion) {
    const { mode, machine, project, program } = occasion;
    const { join } = machine;
    const folder = project === undefined ? setup.folder(machine) : join(project, ".gemini");
    const server: Wish = {
      kind: "entry",
      is: "server",
      path: ["mcpServers", "waymark"],
      value: { command: program.command, args: serverArguments(occasion), trust: true },
    };
    const hooks = hookWishes(identity.shortName, setup.events(occasion), occasion, {
      name: "waymark",
    });
    const list: readonly Wish[] =
      mode === "native"
        ? [{ kind: "setting", path: ["useWriteTodos"], value: true, onlyIfSet: true }]
        : [server, { kind: "setting", path: ["useWriteTodos"], value: false }];
    return [{ format: "json", path: join(folder, "settings.json"), wishes: [...list, ...hooks] }];
  },
  remarks: ({ mode, project }) => [
    ...(mode === "native"
      ? [
          "Gemini CLI gives its list to 2.x models only, and only when one is named: gemini -m gemini-2.5-pro",
        ]
      : []),
    ...(project === undefined
      ? []
      : [
          "Gemini CLI reads the settings of a folder only when you trust it, and asks once about its hooks.",
        ]),
    "Sessions of Gemini CLI that are running keep their old settings; start them anew.",
  ],
};
