import { NoAnswer } from "../../core/error.ts";
import { foldText } from "../../core/list/match.ts";
import type { Remark, Transition } from "../../core/views/history.ts";
import { wholeNumber } from "../args/arguments.ts";
import { defineCommand } from "../args/command.ts";
import { EXIT } from "../io/exit.ts";
import { textOptions } from "../io/text-options.ts";
import { listToRead, READ_OPTIONS } from "../options/which-track.ts";
import { historyRow, inOrder, isTransition, transitionForm } from "../print/history-form.ts";

export const history = defineCommand({
  arguments: [],
  options: {
    ...READ_OPTIONS,
    todo: {
      type: "string",
      value: "TODO",
      summary: "Only this todo: its id or a part of its text",
      words: "todos",
    },
    limit: { type: "string", value: "N", summary: "Only the last N" },
    json: { type: "boolean", summary: "Print JSON" },
  },
  examples: [
    { command: "waymark history", says: "All that happened to the newest list of this directory" },
    { command: "waymark history --session demo --todo 1", says: "What happened to one todo" },
    { command: "waymark history --session demo --limit 5 --json", says: "The end of it, as JSON" },
  ],
  async run(call) {
    const { values, terminal } = call;
    const limit = values.limit === undefined ? undefined : wholeNumber("--limit", values.limit, 1);
    const list = await listToRead(call, { ofCaller: true });
    const all = inOrder(await list.history(), await list.remarks());
    const ours = values.todo === undefined ? all : about(all, values.todo);
    const rows = limit === undefined ? ours : ours.slice(-limit);
    if (values.json) {
      terminal.printJson(rows.map(transitionForm));
      return EXIT.fine;
    }
    if (all.length === 0) {
      const { session, agent } = list.id;
      throw new NoAnswer(
        `Session ${session} has no history of agent ${agent}. waymark ls shows which lists there are.`,
      );
    }
    if (rows.length === 0) throw new NoAnswer(`No todo "${values.todo}" was ever in this list.`);
    const { renderHistory } = await import("../../surfaces/text/index.ts");
    terminal.print(renderHistory(rows.map(historyRow), textOptions(terminal, Date.now())));
    return EXIT.fine;
  },
});

/** By id; else of every todo that ever had the words in its text. */
function about(rows: readonly (Transition | Remark)[], wanted: string): readonly Transition[] {
  const all = rows.filter(isTransition);
  const byId = all.filter((row) => row.todo === wanted);
  if (byId.length > 0) return byId;
  const words = foldText(wanted);
  const ids = new Set(
    all.filter((row) => words !== "" && foldText(row.text).includes(words)).map((row) => row.todo),
  );
  return all.filter((row) => ids.has(row.todo));
}
