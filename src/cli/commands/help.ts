import { defineCommand } from "../args/command.ts";
import { printHelp } from "../args/help.ts";

export const help = defineCommand({
  arguments: [
    {
      name: "COMMAND",
      summary: "the command to explain, with its action if it has one",
      optional: true,
      many: true,
      words: "commands",
    },
  ],
  options: {},
  examples: [
    { command: "waymark help todos", says: "What the command todos takes" },
    { command: "waymark help todo add", says: "What one action of the command todo takes" },
  ],
  run: ({ args, terminal }) => printHelp(args, terminal),
});
