import { editorSetup } from "../common/setup/editor.ts";
import { identity } from "./identity.ts";

export const setup = editorSetup({
  name: identity.name,
  program: "windsurf",
  folder: ({ home, join }) => join(home, ".codeium", "windsurf"),
  file: "mcp_config.json",
  servers: "mcpServers",
});
