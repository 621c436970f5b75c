import type { Machine } from "../../agent.ts";
import type { AgentSetup, SetupRequest } from "./agent.ts";
import { serverArguments } from "./commands.ts";
import type { Fields } from "./config-item.ts";

/** How an editor configures MCP servers. */
interface Editor {
  readonly name: string;
  readonly program: string;
  /** The configuration directory of the user. */
  folder(machine: Machine): string;
  /** The file below that directory. */
  readonly file: string;
  /** The file in a project, if the editor has one. */
  readonly projectFile?: readonly string[];
  /** The key of the servers. */
  readonly servers: string;
  /** More fields of a server, before the command. */
  readonly fields?: Fields;
}

/** The setup of an editor: its configuration gets the MCP server, and nothing else. */
export function editorSetup(editor: Editor): AgentSetup {
  const { name, program, file, projectFile, servers, fields = {} } = editor;
  return {
    serverOnly: true,
    name,
    program,
    ...(projectFile === undefined && { userOnly: true }),
    folder: editor.folder,
    events: () => [],
    files(request: SetupRequest) {
      const { machine, project } = request;
      const inProject = project !== undefined && projectFile !== undefined;
      const path = inProject
        ? machine.join(project, ...projectFile)
        : machine.join(editor.folder(machine), file);
      const value = { ...fields, command: request.program.command, args: serverArguments(request) };
      return [
        {
          format: "json",
          path,
          items: [{ kind: "entry", is: "server", path: [servers, "waymark"], value }],
        },
      ];
    },
    notes: () => [
      `${name} may ask before it starts the server. Its own list is not turned off.`,
      `A running ${name} may keep its old settings. Restart it if the tool is missing.`,
    ],
  };
}
