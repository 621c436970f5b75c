import { terminalLine } from "../../../core/text/escape.ts";
import { defineCommand } from "../../args/command.ts";
import { chosenFile, PROJECT_OPTION } from "../../config/files.ts";
import { EXIT } from "../../io/exit.ts";

export const path = defineCommand({
  arguments: [],
  options: PROJECT_OPTION,
  toleratesBrokenFiles: true,
  notes: ["The path is printed whether the file exists or not."],
  examples: [
    { command: "waymark config path", comment: "Print the path of your file" },
    { command: "waymark config path --project", comment: "Print the path of the project's file" },
  ],
  seeAlso: ["config edit", "config list"],
  async run(call) {
    call.terminal.print(terminalLine(chosenFile(call).path));
    return EXIT.success;
  },
});
