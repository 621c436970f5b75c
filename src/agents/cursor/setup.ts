import { editorSetup } from "../common/setup/editor.ts";
import { identity } from "./identity.ts";

export const setup = editorSetup({
  name: identity.name,
  program: "cursor",
  folder: ({ home, join }) => join(home, ".cursor"),
  file: "mcp.json",
  projectFile: [".cursor", "mcp.json"],
  servers: "mcpServers",
});
