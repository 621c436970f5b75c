import { applicationFolder } from "../common/application-folder.ts";
import { editorSetup } from "../common/setup/editor.ts";

export const setup = editorSetup({
  name: "VS Code",
  program: "code",
  folder: (machine) => machine.join(applicationFolder(machine), "Code", "User"),
  file: "mcp.json",
  projectFile: [".vscode", "mcp.json"],
  servers: "servers",
  fields: { type: "stdio" },
});
