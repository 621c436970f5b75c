import { applicationFolder } from "../common/application-folder.ts";
import { editorSetup } from "../common/setup/editor.ts";
import { identity } from "./identity.ts";

export const setup = editorSetup({
  name: identity.name,
  program: "zed",
  // macOS has the same directory as Linux.
  folder: (machine) =>
    machine.platform === "win32"
      ? machine.join(applicationFolder(machine), "Zed")
      : machine.join(applicationFolder({ ...machine, platform: "linux" }), "zed"),
  file: "settings.json",
  projectFile: [".zed", "settings.json"],
  servers: "context_servers",
});
