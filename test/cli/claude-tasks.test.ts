import { appendFileSync } from "node:fs";
import { expect, test } from "vitest";
import { taskFile, taskSession } from "./claude-tasks.ts";
import { A, eachOnItsOwn, home, json, SECOND, writeSession } from "./user-machine.ts";
import { watchJson } from "./watching.ts";

eachOnItsOwn();

const folder = `.claude/tasks/${A}`;
const todosOf = (shown: unknown) => (shown as { readonly todos: { text: string }[] }).todos;

test.each([
  ["with its task folder", true],
  ["without its task folder", false],
])("shows 300 tasks of one message in order, %s", (_, hasFolder) => {
  const now = Date.now();
  const subjects = Array.from({ length: 300 }, (_, place) => `Task ${place + 1}`);
  // Long enough that the middle of the file is scanned, not read line by line.
  const filler = "words ".repeat(2_000);
  const session = taskSession(A).message(filler, now - 9 * SECOND);
  session.createAll(subjects, now - 8 * SECOND);
  for (let turn = 0; turn < 10; turn++) session.message(filler, now - 7 * SECOND);
  writeSession(A, session.text());
  if (hasFolder)
    for (const [place, subject] of subjects.entries())
      home.write(`${folder}/${place + 1}.json`, taskFile(place + 1, subject));
  expect(todosOf(json("show", A)).map(({ text }) => text)).toEqual(subjects);
  expect(todosOf(json("todos", "--session", A)).map(({ text }) => text)).toEqual(subjects);
});

test("reports one list for tasks that a subagent shares, never parts of it in turn", async () => {
  const now = Date.now();
  const main = taskSession(A)
    .create(1, "Read", now - 9 * SECOND)
    .create(2, "Write", now - 8 * SECOND);
  const path = writeSession(A, main.text());
  home.write(`${folder}/1.json`, taskFile(1, "Read"));
  home.write(`${folder}/2.json`, taskFile(2, "Write"));
  const watched = await watchJson();
  const lists = () =>
    watched.events().flatMap((event) => {
      if (event.type !== "todo_list" || event.agentId !== "main") return [];
      return [event.items.map(({ id, status }) => `${id} ${status}`)];
    });
  const last = () => lists().at(-1);
  const append = (change: () => void) => {
    const before = main.text().length;
    change();
    appendFileSync(path, main.text().slice(before));
  };

  // The subagent adds two tasks and changes the status of one of its parent's.
  const child = taskSession(A, { agent: "child" });
  home.write(`${folder}/3.json`, taskFile(3, "Check"));
  child.create(3, "Check", Date.now());
  home.write(`${folder}/4.json`, taskFile(4, "Report"));
  child.create(4, "Report", Date.now());
  home.write(`${folder}/1.json`, taskFile(1, "Read", "completed"));
  child.move(1, "completed", Date.now());
  home.write(`.claude/projects/-p/${A}/subagents/agent-child.jsonl`, child.text());
  const shared = ["1 completed", "2 pending", "3 pending", "4 pending"];
  await expect.poll(last, { timeout: 20_000 }).toEqual(shared);
  // The parent continues with its own tasks, of which its transcript knows two.
  for (const status of ["in_progress", "completed"]) {
    home.write(`${folder}/2.json`, taskFile(2, "Write", status));
    append(() => main.move(2, status, Date.now()));
    const after = ["1 completed", `2 ${status}`, "3 pending", "4 pending"];
    await expect.poll(last, { timeout: 20_000 }).toEqual(after);
  }
  await watched.settled();
  const sizes = lists().map(({ length }) => length);
  expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
  const reported = lists().map((list) => list.join());
  expect(reported).toEqual([...new Set(reported)]);
  expect(todosOf(json("show", A))).toMatchObject([
    { ref: "1", status: "completed" },
    { ref: "2", status: "completed" },
    { ref: "3", status: "pending" },
    { ref: "4", status: "pending" },
  ]);
});
