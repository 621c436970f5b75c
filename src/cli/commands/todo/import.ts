import { CommandError } from "../../../core/error.ts";
import { defineCommand } from "../../args/command.ts";
import { MAX_CHECKLIST, readChecklist, replaceOp, withLineNumbers } from "../../io/checklist.ts";
import { readStdin, readTextFile } from "../../io/input.ts";
import { CHANGE_OPTIONS, refuse, report, submit } from "../../options/list-change.ts";
import { checklistPolicy } from "../../options/list-policy.ts";
import { listToRead, listToWrite, trackToWrite } from "../../options/track-selection.ts";

export const importList = defineCommand({
  arguments: [{ name: "FILE", summary: "Checklist; - for standard input", completions: "files" }],
  options: {
    promote: {
      type: "boolean",
      summary:
        "Start the first pending todo if none is in progress (always for lists of todo_write.ops)",
      perCall: true,
    },
    ...CHANGE_OPTIONS,
  },
  notes: [
    "Checkboxes: [ ] pending, [/] in progress, [x] completed, [-] cancelled, [!] blocked. Headings are phases; quoted lines below a todo are its notes. Todos that are already in the list keep their ids and times.",
  ],
  examples: [
    { command: "waymark todo import plan.md --session demo", comment: "Import a file" },
    {
      command: "printf -- '- [ ] Build\\n- [ ] Publish\\n' | waymark todo import - --promote",
      comment: "Import from another program and start the first todo",
    },
  ],
  seeAlso: ["todo export", "todo edit"],
  async run(call) {
    const { args, values, terminal } = call;
    const [file = ""] = args;
    const id = await trackToWrite(call);
    const named = { ...call, values: { ...values, ...id } };
    const name = file === "-" ? "standard input" : file;
    const input = file === "-" ? readStdin(MAX_CHECKLIST) : readTextFile(file, MAX_CHECKLIST);
    if (!input.ok)
      throw new CommandError(
        input.problem === "too_large"
          ? `${name} is larger than ${MAX_CHECKLIST} bytes. Nothing was changed.`
          : `${name} is not UTF-8 text. Save it as UTF-8. Nothing was changed.`,
      );
    const { drafts, lines, problems } = readChecklist(input.text, terminal);
    if (problems.length > 0) return refuse(named, problems, await (await listToRead(named)).read());
    if (drafts.length === 0)
      throw new CommandError(
        `${name} has no todos such as "- [ ] Build". Nothing was changed; use \`waymark todo clear\` to empty the list.`,
      );
    const list = await listToWrite(named);
    const policy = values.promote ? { promote: true } : await checklistPolicy(list);
    const outcome = await submit(named, list, [replaceOp(drafts)], { policy });
    return report(named, { ...outcome, rejected: withLineNumbers(outcome.rejected, lines) });
  },
});
