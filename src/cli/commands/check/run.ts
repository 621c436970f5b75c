import { requireCurrentDirectory } from "../../../home/current-directory.ts";
import { defineCommand, JSON_OPTION } from "../../args/command.ts";
import { verifyAndReport } from "../../verify/run.ts";
import { VERIFY_EXIT_CODES } from "../../verify/target.ts";

export const run = defineCommand({
  description: "Run a check on a clean checkout of the working tree, without recording a proof.",
  arguments: [
    {
      name: "NAME",
      summary: "Name of the check",
      optional: true,
      default: "the only one, or test",
    },
  ],
  options: { json: JSON_OPTION },
  exitCodes: VERIFY_EXIT_CODES,
  examples: [
    { command: "waymark check run", comment: "Run the only check, or the one named test" },
    { command: "waymark check run lint", comment: "Run another one" },
  ],
  seeAlso: ["verify", "check list"],
  async run(call) {
    const [name] = call.args;
    return verifyAndReport(call, {
      cwd: requireCurrentDirectory(),
      ...(name !== undefined && { check: name }),
    });
  },
});
