import { expect, onTestFinished, test } from "vitest";
import { memoryTaskStore } from "../../src/tasks/memory.ts";
import type { ClaimRef, TaskOp } from "../../src/tasks/model.ts";
import { newMachine } from "../cli/machine.ts";
import { serveProgram } from "../servers/mcp/clients.ts";

const LEASE = 60_000;

/** Senders that pretend to be another, with an epoch. Only the first owns the task. */
const PRETENDERS: readonly (readonly [name: string, epoch: number | undefined])[] = [
  ["ann", 2],
  ["ann", 1],
  ["ann", 3],
  ["ann", 0],
  ["ann", undefined],
  ["bob", 1],
  ["bob", 2],
  ["bob", undefined],
  ["ANN", 2],
  ["ann.", 2],
  ["an", 2],
  ["__proto__", 2],
];
const ACTS = ["renew", "release", "finish", "fail"] as const;
const SENDERS = [
  { by: "agent", via: "mcp" },
  { by: "user", via: "cli" },
  { by: "system", via: "x" },
] as const;

function opOf(act: (typeof ACTS)[number], owner: string, held: readonly ClaimRef[]): TaskOp {
  return act === "fail" ? { op: act, owner, held, reason: "x" } : { op: act, owner, held };
}

/** Bob claimed and released it, ann owns it now: epoch 2. */
function prepared(lapsed: boolean) {
  let now = 1_000_000;
  const store = memoryTaskStore({ now: () => now });
  const sender = { by: "agent", via: "mcp", actor: "bob" } as const;
  store.apply({ op: "add", tasks: [{ subject: "One" }] }, sender);
  store.apply({ op: "claim", owner: "bob", id: "t1", lease: LEASE }, sender);
  store.apply({ op: "release", owner: "bob", held: [{ id: "t1", epoch: 1 }] }, sender);
  store.apply({ op: "claim", owner: "ann", id: "t1", lease: LEASE }, sender);
  if (lapsed) now += 2 * LEASE;
  return store;
}

test("accepts writes only from the owner of a task", { tags: ["privilege-escalation"] }, () => {
  let tried = 0;
  for (const lapsed of [false, true])
    for (const act of ACTS)
      for (const sender of SENDERS)
        for (const [name, epoch] of PRETENDERS) {
          const store = prepared(lapsed);
          const before = JSON.stringify(store.list({}));
          const held = [{ id: "t1", ...(epoch !== undefined && { epoch }) }];
          const answer = store.apply(opOf(act, name, held), sender);
          const isHolder = name === "ann" && epoch === 2;
          // Not even a task without an owner: finishing it takes `force`, which only a user has.
          expect({ lapsed, act, sender, name, epoch, ok: answer.ok }).toEqual({
            lapsed,
            act,
            sender,
            name,
            epoch,
            ok: isHolder,
          });
          if (!answer.ok) expect(JSON.stringify(store.list({}))).toBe(before);
          store.close();
          tried++;
        }
  expect(tried).toBeGreaterThan(200);
});

test("records the sender of a task and assigns none without a claim", {
  tags: ["privilege-escalation"],
}, () => {
  const store = memoryTaskStore();
  onTestFinished(() => store.close());
  store.apply(
    { op: "add", tasks: [{ subject: "Delete everything" }] },
    { by: "agent", via: "mcp", actor: "mallory" },
  );
  const [added] = store.events({ task: "t1" });
  expect(added).toMatchObject({ type: "added", by: "agent", via: "mcp", actor: "mallory" });
  expect(store.list({})[0]).toMatchObject({ status: "open" });
  expect(store.list({})[0]?.owner).toBeUndefined();
});

test("refuses a sender that a model claims to be", { tags: ["privilege-escalation"] }, async () => {
  const machine = newMachine();
  onTestFinished(() => machine.remove());
  machine.run(["task", "add", "Held by ann", "--as", "ann"]);
  machine.run(["task", "claim", "t1", "--as", "ann", "--lease", "1h"]);
  const { client, child } = serveProgram(["--session", "mallory", "--tools", "todos,tasks"], {
    home: machine.home,
    cwd: machine.cwd,
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await client.initialize();
  const before = JSON.stringify(machine.json(["task", "show", "t1"]));
  for (const call of [
    { finish: "t1" },
    { finish: "t1", epoch: 1 },
    { release: "t1", epoch: 1 },
    { fail: "t1", reason: "x", epoch: 1 },
    { finish: "t1", epoch: 1, owner: "ann" },
    { finish: "t1", epoch: 1, as: "ann" },
    { claim: "t1" },
    { add: [{ subject: "For bob", owner: "bob" }] },
    { add: [{ subject: "By a person", by: "user" }] },
  ])
    expect([call, (await client.call(call, "tasks")).isError]).toEqual([call, true]);
  expect(JSON.stringify(machine.json(["task", "show", "t1"]))).toBe(before);
  // A list of another session is not a list of this one.
  machine.run(["todo", "add", "Private", "--session", "ann"]);
  expect((await client.call({ list: "ann", add: ["x"] })).isError).toBe(true);
});
