import { NoAnswer } from "../../../core/error.ts";
import { defineCommand } from "../../args/command.ts";
import { readStdin, readTextFile } from "../../io/input.ts";
import { keyOf, PLAN_OPTIONS, reportPlan } from "../../options/plan-call.ts";
import { listToWrite } from "../../options/which-track.ts";

const MAX_BYTES = 1024 * 1024;

export const propose = defineCommand({
  arguments: [
    { name: "FILE", summary: 'the plan as markdown; "-" is the standard input', words: "files" },
  ],
  options: PLAN_OPTIONS,
  notes: [
    "Until a person decides, the list of the session is closed to its agent. A checklist, numbered steps or bullets of the plan can become todos when it is approved.",
  ],
  examples: [
    { command: "waymark plan propose plan.md --session demo", says: "From a file" },
    {
      command: "printf '1. Build\\n2. Measure\\n' | waymark plan propose -",
      says: "From another program",
    },
  ],
  async run(call) {
    const [file = ""] = call.args;
    const name = file === "-" ? "standard input" : file;
    const input = file === "-" ? readStdin(MAX_BYTES) : readTextFile(file, MAX_BYTES);
    if (!input.ok)
      throw new NoAnswer(
        input.problem === "too_large"
          ? `${name} has more than ${MAX_BYTES} bytes; no plan is that long. Nothing was changed.`
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
      `The plan waits. Decide with: waymark plan approve ${session}, or waymark plan reject ${session}`,
    );
  },
});
