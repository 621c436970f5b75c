import { CommandError } from "../../../core/error.ts";
import { defineCommand } from "../../args/command.ts";
import { readStdin, readTextFile } from "../../io/input.ts";
import { keyOf, PLAN_OPTIONS, reportPlan } from "../../options/plan-call.ts";
import { listToWrite } from "../../options/track-selection.ts";

const MAX_BYTES = 1024 * 1024;

export const propose = defineCommand({
  arguments: [
    {
      name: "FILE",
      summary: "Plan as Markdown; - for standard input",
      completions: "files",
    },
  ],
  options: PLAN_OPTIONS,
  notes: [
    "The agent cannot change its list until you decide. When you approve the plan, its checklist items, numbered steps or bullets become todos.",
  ],
  examples: [
    {
      command: "waymark plan propose plan.md --session demo",
      comment: "Propose a plan from a file",
    },
    {
      command: "printf '1. Build\\n2. Measure\\n' | waymark plan propose -",
      comment: "Propose a plan from another program",
    },
  ],
  seeAlso: ["plan show", "plan approve", "plan reject"],
  async run(call) {
    const [file = ""] = call.args;
    const name = file === "-" ? "standard input" : file;
    const input = file === "-" ? readStdin(MAX_BYTES) : readTextFile(file, MAX_BYTES);
    if (!input.ok)
      throw new CommandError(
        input.problem === "too_large"
          ? `${name} is larger than ${MAX_BYTES} bytes. Nothing was changed.`
          : `${name} is not UTF-8 text. Save it as UTF-8. Nothing was changed.`,
      );
    const list = await listToWrite(call);
    const path = file === "-" ? {} : { path: file };
    const outcome = await list.plan.propose(input.text, {
      by: "agent",
      via: "cli",
      ...path,
      ...keyOf(call.values),
    });
    const { session } = list.id;
    return reportPlan(
      call,
      outcome,
      `Proposed the plan. Decide with \`waymark plan approve ${session}\` or \`waymark plan reject ${session}\``,
    );
  },
});
