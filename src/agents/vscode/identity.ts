import type { Identity } from "../identity.ts";

export const identity = {
  id: "copilot-vscode",
  name: "Copilot Chat in VS Code",
  code: "cv",
  basis: "documentation only",
  shortName: "vscode",
  clients: ["Visual Studio Code"],
  support: { guide: "editors", stream: false },
} satisfies Identity;
