import { defineCommand } from "../args/command.ts";
import { printHelp } from "../args/help.ts";

export const help = defineCommand({
  arguments: [
    {
      name: "COMMAND",
      summary: "Command, command and action, or topic: environment, exit-codes",
      optional: true,
      repeatable: true,
      completions: "commands",
    },
  ],
  toleratesBrokenFiles: true,
  options: {},
  examples: [
    { command: "waymark help todos", comment: "Show the help of a command" },
    { command: "waymark help todo add", comment: "Show the help of an action" },
    { command: "waymark help environment", comment: "List the environment variables" },
  ],
  run: ({ args, terminal }) => printHelp(args, terminal),
});
