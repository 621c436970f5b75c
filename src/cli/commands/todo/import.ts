import { NoAnswer } from "../../../core/error.ts";
import { defineCommand } from "../../args/command.ts";
import { MAX_CHECKLIST, onLines, readChecklist, replaceBy } from "../../io/checklist.ts";
import { readStdin, readTextFile } from "../../io/input.ts";
import { CHANGE_OPTIONS, refuse, report, submit } from "../../options/change.ts";
import { checklistPolicy } from "../../options/list-policy.ts";
import { listToRead, listToWrite, trackToWrite } from "../../options/which-track.ts";

export const importList = defineCommand({
  arguments: [
    { name: "FILE", summary: 'the checklist; "-" is the standard input', words: "files" },
  ],
  options: {
    promote: {
      type: "boolean",
      summary:
        "Start the first pending todo if none is in progress (default for lists of the op tool)",
    },
    ...CHANGE_OPTIONS,
  },
  notes: [
    "- [ ] is a pending todo, [/] one in progress, [x] a completed, [-] a dropped and [!] a blocked one. Headings are phases, quoted lines below a todo are its notes. Todos that the list has already keep their ids and times.",
  ],
  examples: [
    { command: "waymark todo import plan.md --session demo", says: "From a file" },
    {
      command: "printf -- '- [ ] Build\\n- [ ] Publish\\n' | waymark todo import - --promote",
      says: "From another program, with the first one begun",
    },
  ],
  async run(call) {
    const { args, values, terminal } = call;
    const [file = ""] = args;
    const id = await trackToWrite(call);
    const named = { ...call, values: { ...values, ...id } };
    const name = file === "-" ? "standard input" : file;
    const input = file === "-" ? readStdin(MAX_CHECKLIST) : readTextFile(file, MAX_CHECKLIST);
    if (!input.ok)
      throw new NoAnswer(
        input.problem === "too_large"
          ? `${name} has more than ${MAX_CHECKLIST} bytes; no list is that long. Nothing was changed.`
          : `${name} is not UTF-8 text. Save it as UTF-8. Nothing was changed.`,
      );
    const { drafts, lines, problems } = readChecklist(input.text, terminal);
    if (problems.length > 0) return refuse(named, problems, await (await listToRead(named)).read());
    if (drafts.length === 0)
      throw new NoAnswer(
        `${name} has no todos such as "- [ ] Build". Nothing was changed; to empty the list: waymark todo clear.`,
      );
    const list = await listToWrite(named);
    const policy = values.promote ? { promote: true } : await checklistPolicy(list);
    const outcome = await submit(named, list, [replaceBy(drafts)], { policy });
    return report(named, { ...outcome, rejected: onLines(outcome.rejected, lines) });
  },
});
