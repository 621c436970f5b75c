// The scripted model of the examples, which therefore need no API key and no network. It keeps a list, neglects it while it
// reads files, gets a reminder, loses half of the conversation to a compaction, and continues.
const todos = (id, input) => ({ calls: [{ id, name: "todos", input }] });
const look = (number) => ({
  text: `Reading file ${number}.`,
  calls: [{ id: `look_${number}`, name: "look", input: { file: `src/${number}.js` } }],
});

export const PROMPT = "The parser fails on empty files. Fix it.";

export const ANSWERS = [
  todos("todos_1", {
    todos: [
      { text: "Find where empty files fail", status: "in_progress" },
      { text: "Fix the parser" },
      { text: "Add a test" },
    ],
  }),
  ...Array.from({ length: 12 }, (_, index) => look(index + 1)),
  todos("todos_2", { finish: ["1"], start: "2" }),
  look(13),
  todos("todos_3", { finish: ["2"], start: "3" }),
  { text: "The parser is fixed. The test is still open." },
];

/** The agents' own tool. */
export const lookAt = ({ file }) => `${file}: nothing unusual`;

/** Compacts a long conversation: keeps the first message and the last few, and calls with their results. */
export function compacted(messages, most = 26, kept = 4) {
  return messages.length <= most ? messages : [...messages.slice(0, 1), ...messages.slice(-kept)];
}

/** Prints the reminders for the model. */
export function printReminders(tracker) {
  tracker.own.subscribe(({ changes }) => {
    for (const change of changes)
      if (change.type === "reminded") console.log(`reminder (${change.kind}):\n${change.text}\n`);
  });
}
