import type { Todo } from "../../core/model.ts";
import { forTerminal, oneLine } from "../../core/safe-text.ts";
import { viewOf } from "../../core/view.ts";
import { renderHistory, renderList } from "../../surfaces/text/index.ts";
import { defineCommand } from "../command.ts";
import { EXIT, NoAnswer, UsageError } from "../exit.ts";
import { historyRow, transitionForm } from "../history-form.ts";
import { listForm } from "../list-form.ts";
import { textOptions } from "../text-options.ts";
import { trackForm } from "../tracks-table.ts";
import { listToRead, TRACK_OPTIONS } from "../which-track.ts";

const LAST = 10;

export const show = defineCommand({
  arguments: [
    {
      name: "SESSION",
      summary: "the session, as waymark ls shows it",
      optional: true,
      words: "sessions",
    },
  ],
  options: {
    ...TRACK_OPTIONS,
    json: { type: "boolean", summary: "Print JSON" },
  },
  examples: [
    { command: "waymark show demo", says: "Everything of one session's list" },
    { command: "waymark show demo --agent main --json", says: "The same for a program" },
  ],
  async run(call) {
    const { terminal } = call;
    const [given] = call.args;
    if (given !== undefined && call.values.session !== undefined && given !== call.values.session)
      throw new UsageError("Two sessions are named; name one.");
    const values = given === undefined ? call.values : { ...call.values, session: given };
    const list = await listToRead({ ...call, values });
    const track = await list.read();
    const transitions = (await list.history()).slice(-LAST);
    if (track.version === 0)
      throw new NoAnswer(
        `Nothing is known of session ${list.id.session}, agent ${list.id.agent}. waymark ls shows what is.`,
      );
    if (values.json) {
      const { revision, list: number, todos } = track;
      terminal.printJson({
        ...listForm(track),
        ...trackForm(track),
        revision,
        list: number,
        todos,
        history: transitions.map(transitionForm),
      });
      return EXIT.fine;
    }
    const now = Date.now();
    const options = { ...textOptions(terminal, now), all: true };
    terminal.print(
      [
        ...headerLines({
          session: track.session,
          agent: track.agent,
          program: track.agentType,
          "part of": track.parentAgent,
          title: track.title,
          directory: track.cwd,
          mode: track.mode,
          opened: timeOf(track.openedAt),
          changed: `${timeOf(track.updatedAt)} (version ${track.version}, list ${track.list})`,
        }),
        "",
        renderList(viewOf(track, now), options),
        "",
        ...track.todos.flatMap(detailLines),
        "",
        transitions.length === LAST ? `The last ${LAST} changes` : "All changes",
        renderHistory(transitions.map(historyRow), options),
      ].join("\n"),
    );
    return EXIT.fine;
  },
});

function timeOf(at: number): string {
  // Swedish dates are ISO dates in local time.
  return new Date(at).toLocaleString("sv-SE");
}

function headerLines(facts: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(facts).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name.padEnd(11)}${safe(value)}`],
  );
}

function safe(text: string): string {
  return forTerminal(oneLine(text));
}

/** What the drawn list has no room for, or cuts. */
function detailLines(todo: Todo): string[] {
  const times = [
    `created ${timeOf(todo.createdAt)}`,
    ...(todo.startedAt === undefined ? [] : [`started ${timeOf(todo.startedAt)}`]),
    ...(todo.finishedAt === undefined ? [] : [`finished ${timeOf(todo.finishedAt)}`]),
    `last moved by ${todo.movedBy}`,
  ];
  const facts: Readonly<Record<string, string | undefined>> = {
    priority: todo.priority,
    owner: todo.owner,
    parent: todo.parent,
    "waits for": todo.blockedBy?.join(", "),
    blocker: todo.blocker,
    "foreign id": todo.ref,
    "foreign status": todo.rawStatus,
  };
  return [
    `${todo.id}  ${times.join(", ")}`,
    ...Object.entries(facts).flatMap(([name, value]) =>
      value === undefined ? [] : [`   ${name}: ${safe(value)}`],
    ),
    ...(todo.notes ?? []).map((entry) => `   note: ${safe(entry)}`),
    ...(todo.evidence ?? []).map((entry) => `   evidence: ${safe(entry)}`),
  ];
}
