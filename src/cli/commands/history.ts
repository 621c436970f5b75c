import { CommandError } from "../../core/error.ts";
import { normalizeText } from "../../core/list/match.ts";
import type { Remark, Transition } from "../../core/views/history.ts";
import { parseInteger } from "../args/arguments.ts";
import { defineCommand, JSON_OPTION } from "../args/command.ts";
import { EXIT } from "../io/exit.ts";
import { textOptions } from "../io/text-options.ts";
import { listToRead, READ_OPTIONS } from "../options/track-selection.ts";
import { historyRow, inOrder, isTransition, transitionForm } from "../print/history-form.ts";

export const history = defineCommand({
  arguments: [],
  options: {
    ...READ_OPTIONS,
    todo: {
      type: "string",
      value: "TODO",
      summary: "Only this todo: id or part of its text",
      completions: "todos",
      perCall: true,
    },
    limit: { type: "string", value: "N", summary: "Only the newest N changes" },
    json: JSON_OPTION,
  },
  examples: [
    {
      command: "waymark history",
      comment: "Show the changes to the newest list in this directory",
    },
    { command: "waymark history --session demo --todo 1", comment: "Show the changes to one todo" },
    {
      command: "waymark history --session demo --limit 5 --json",
      comment: "Print the newest changes as JSON",
    },
  ],
  hints: {
    "--since": "Use --limit N, or `waymark todos --at 2h` for the list at an earlier time.",
  },
  seeAlso: ["show", "todos", "task history"],
  async run(call) {
    const { values, terminal } = call;
    const limit = values.limit === undefined ? undefined : parseInteger("--limit", values.limit, 1);
    const list = await listToRead(call, { prefersCaller: true });
    const all = inOrder(await list.history(), await list.remarks());
    const ours = values.todo === undefined ? all : about(all, values.todo);
    const rows = limit === undefined ? ours : ours.slice(-limit);
    if (values.json) {
      terminal.printJson(rows.map(transitionForm));
      return EXIT.success;
    }
    if (all.length === 0) {
      const { session, agent } = list.id;
      throw new CommandError(
        `Session ${session} has no list of agent ${agent}. \`waymark ls --all\` lists all sessions.`,
      );
    }
    if (rows.length === 0)
      throw new CommandError(`No todo matches "${values.todo}" in the history of this list.`);
    const { renderHistory } = await import("../../surfaces/text/index.ts");
    terminal.print(renderHistory(rows.map(historyRow), textOptions(terminal, Date.now())));
    return EXIT.success;
  },
});

/** The changes of the todo with this id, or of every todo whose text ever contained the words. */
function about(rows: readonly (Transition | Remark)[], wanted: string): readonly Transition[] {
  const all = rows.filter(isTransition);
  const byId = all.filter((row) => row.todo === wanted);
  if (byId.length > 0) return byId;
  const words = normalizeText(wanted);
  const ids = new Set(
    all
      .filter((row) => words !== "" && normalizeText(row.text).includes(words))
      .map((row) => row.todo),
  );
  return all.filter((row) => ids.has(row.todo));
}
