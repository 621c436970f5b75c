// What the model of every example says, so that they run without a key and without a network: it keeps a list, forgets
// it while it reads, is reminded, loses half of the conversation, and goes on all the same.
const todos = (id, input) => ({ calls: [{ id, name: "todos", input }] });
const look = (number) => ({
  text: `Looking at file ${number}.`,
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

/** The one tool that the agents of the examples have of their own. */
export const lookAt = ({ file }) => `${file}: nothing unusual`;

/** What keeps a long conversation short: the first message and the last few; an answer stays with its results. */
export function shortened(messages, most = 26, kept = 4) {
  return messages.length <= most ? messages : [...messages.slice(0, 1), ...messages.slice(-kept)];
}

/** Prints what the model is told beside its own conversation. */
export function showTold(tracker) {
  tracker.own.subscribe(({ changes }) => {
    for (const change of changes)
      if (change.type === "reminded") console.log(`told (${change.kind}):\n${change.text}\n`);
  });
}
