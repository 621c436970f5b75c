import { removeCheck } from "../../../checks/checks.ts";
import { requireCurrentDirectory } from "../../../home/current-directory.ts";
import { defineCommand } from "../../args/command.ts";
import { EXIT } from "../../io/exit.ts";
import { requirePerson } from "../../options/person.ts";

export const remove = defineCommand({
  description:
    "Remove a check that you added, or the trust in a check that the repository defines.",
  arguments: [{ name: "NAME", summary: "Name of the check" }],
  options: {},
  examples: [
    { command: "waymark check remove e2e", comment: "Remove a check" },
    { command: "waymark check list", comment: "See what is left" },
  ],
  seeAlso: ["check list", "check add"],
  async run(call) {
    const [name = ""] = call.args;
    requirePerson(call, "Removing a check");
    await removeCheck(call, requireCurrentDirectory(), name);
    call.terminal.printText(`Removed check ${name}. Recorded proofs stay.`);
    return EXIT.success;
  },
});
