import { setupOf } from "../opencode/setup.ts";
import { identity } from "./identity.ts";

export const setup = setupOf({
  agent: identity.shortName,
  name: identity.name,
  folderVariable: "KILO_CONFIG_DIR",
  fileVariable: "KILO_CONFIG",
  folder: "kilo",
  projectFolder: ".kilo",
  fileNames: ["kilo.jsonc", "kilo.json"],
});
