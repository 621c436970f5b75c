import { expect, test } from "vitest";
import type { StreamEvent } from "../../src/core/stream/events.ts";
import { taskFile, taskSession } from "./claude-tasks.ts";
import { A, as, eachOnItsOwn, home, machine, SECOND, writeSession } from "./user-machine.ts";

eachOnItsOwn();

/** The output of `claude -p --resume`, which has only the new part. */
function resumed(...calls: readonly (readonly [name: string, input: object, result: object])[]) {
  const lines = calls.flatMap(([name, input, result], place) => {
    const id = `toolu_${place}`;
    return [
      {
        type: "assistant",
        message: {
          id: `m${place}`,
          role: "assistant",
          content: [{ type: "tool_use", id, name, input }],
        },
      },
      {
        type: "user",
        message: {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: id, content: "ok" }],
        },
        tool_use_result: result,
      },
    ];
  });
  const init = {
    type: "system",
    subtype: "init",
    cwd: "/srv/shop",
    claude_code_version: "2.1.325",
  };
  return [init, ...lines]
    .map((line) => `${JSON.stringify({ ...line, session_id: A, uuid: crypto.randomUUID() })}\n`)
    .join("");
}

const moved = (id: string, status: string) =>
  [
    "TaskUpdate",
    { taskId: id, status },
    { success: true, taskId: id, statusChange: { to: status } },
  ] as const;
const created = (id: string, subject: string) =>
  ["TaskCreate", { subject }, { task: { id, subject } }] as const;

function piped(stream: string) {
  const { stdout } = machine.run(["pipe", "--json"], { env: as(home), input: stream });
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as StreamEvent);
  return {
    lists: events.flatMap((event) =>
      event.type === "todo_list" ? [event.items.map(({ id, status }) => `${id} ${status}`)] : [],
    ),
    warnings: events.flatMap((event) => (event.type === "warning" ? [event.message] : [])),
  };
}

const SOURCES = {
  "the task folder": () => {
    for (const id of [1, 2, 3, 4])
      home.write(`.claude/tasks/${A}/${id}.json`, taskFile(id, `Task ${id}`));
  },
  "the earlier transcript": () => {
    const at = Date.now() - 60 * SECOND;
    const session = taskSession(A);
    for (const id of [1, 2, 3, 4]) session.create(id, `Task ${id}`, at);
    writeSession(A, session.text());
  },
};

test.each(Object.entries(SOURCES))(
  "pipe reads the earlier tasks of a resumed session from %s",
  (_, put) => {
    put();
    expect(piped(resumed(moved("2", "completed"), created("5", "Task 5")))).toEqual({
      lists: [
        ["1 pending", "2 completed", "3 pending", "4 pending"],
        ["1 pending", "2 completed", "3 pending", "4 pending", "5 pending"],
      ],
      warnings: [],
    });
    expect(piped(resumed(created("5", "Task 5"))).lists).toEqual([
      ["1 pending", "2 pending", "3 pending", "4 pending", "5 pending"],
    ]);
  },
);

test("pipe warns once that earlier tasks are unknown", () => {
  const message = "the session has earlier tasks that are not in this stream";
  expect(
    piped(resumed(created("4", "Task 4"), moved("2", "completed"), moved("1", "completed"))),
  ).toEqual({
    lists: [["4 pending"], ["4 pending"], ["4 pending"]],
    warnings: [message],
  });
  const { stdout } = machine.run(["pipe"], {
    env: as(home),
    input: resumed(created("4", "Task 4")),
  });
  expect(stdout).toContain(message);
});

test("pipe of a recorded session shows its tasks as they were created, not as they ended", () => {
  for (const id of [1, 2])
    home.write(`.claude/tasks/${A}/${id}.json`, taskFile(id, `T${id}`, "completed"));
  expect(piped(resumed(created("1", "T1"), created("2", "T2"), moved("1", "in_progress")))).toEqual(
    {
      lists: [["1 pending"], ["1 pending", "2 pending"], ["1 in_progress", "2 pending"]],
      warnings: [],
    },
  );
});
