import { listChecks, trustChecks } from "../../../checks/checks.ts";
import { formatShortDuration } from "../../../core/text/duration.ts";
import { oneLine } from "../../../core/text/escape.ts";
import { requireCurrentDirectory } from "../../../home/current-directory.ts";
import { defineCommand } from "../../args/command.ts";
import { EXIT } from "../../io/exit.ts";
import { requirePerson } from "../../options/person.ts";

export const trust = defineCommand({
  description: "Trust checks that the repository defines, as they are defined now.",
  arguments: [
    {
      name: "NAME",
      summary: "Names of checks",
      optional: true,
      repeatable: true,
      default: "all of them",
    },
  ],
  options: {},
  notes: [
    "Nothing that a repository defines runs before you trust it. A check whose definition changes has to be trusted again.",
  ],
  examples: [
    { command: "waymark check list", comment: "Read the commands first" },
    { command: "waymark check trust e2e types", comment: "Trust two of them" },
  ],
  seeAlso: ["check list", "check remove"],
  async run(call) {
    const { args, terminal } = call;
    requirePerson(call, "Trusting a check");
    const cwd = requireCurrentDirectory();
    const trusted = await trustChecks(call, cwd, args);
    for (const { name, command, timeoutMs, file } of trusted)
      terminal.printText(
        `Trusted ${name} of ${file}: ${oneLine(command)} (timeout ${formatShortDuration(timeoutMs)})`,
      );
    if (trusted.length > 0) return EXIT.success;
    const { checks, problems } = await listChecks(call, cwd);
    for (const problem of problems) terminal.printError(problem);
    const isDefined = checks.some(({ file }) => file !== undefined);
    terminal.printError(
      isDefined ? "Trusted already; nothing changed." : "This repository defines no checks.",
    );
    return EXIT.success;
  },
});
