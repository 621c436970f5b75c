import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { appendProofs } from "../../src/checks/proofs.ts";
import { openTerminal } from "../../src/cli/io/terminal.ts";
import { type Activity, emptyActivity } from "../../src/core/activity/activity.ts";
import type { ProofRecord } from "../../src/core/checks/proof.ts";
import { emptyTrack } from "../../src/core/evolve.ts";
import { trackKey } from "../../src/core/text/ids.ts";
import { applyFeedChange } from "../../src/core/views/changes.ts";
import type { MergedTrack } from "../../src/core/views/merged.ts";
import { relayedTrackOf } from "../../src/core/views/relayed.ts";
import { openHome } from "../../src/home/open.ts";
import { openFeed } from "../../src/sessions/feed.ts";
import { openProofs, withProofsOf } from "../../src/sessions/proofs.ts";
import { hostedList, type ReadList } from "../../src/sessions/read-list.ts";
import type { FullRead } from "../../src/sessions/transcripts/machine.ts";
import { claudeSession } from "../cli/claude-session.ts";
import { type Machine, newMachine } from "../cli/machine.ts";
import { todo } from "../core/track-of.ts";
import { proofOf, WARNINGS } from "../surfaces/proofs.ts";
import { newContext } from "./context.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function machineWith(prepare: (machine: Machine) => void): Machine {
  const machine = newMachine();
  ends.push(() => machine.remove());
  prepare(machine);
  return machine;
}

const LIST = {
  todos: [
    { content: "Add the index", status: "completed", activeForm: "Adding" },
    { content: "Write docs", status: "in_progress", activeForm: "Writing" },
  ],
};

function hosted(): Machine {
  return machineWith((machine) => machine.tool("TodoWrite", LIST, "--session", "s"));
}

const record = (rest: Partial<ProofRecord> = {}): ProofRecord => ({
  ...proofOf(Date.now()),
  id: { session: "s", agent: "main" },
  todo: { id: "1", text: "Add the index" },
  ...rest,
});

interface Form {
  readonly todos: readonly { readonly evidence: { readonly level: string } }[];
}

const levels = (machine: Machine, ...args: readonly string[]) =>
  (machine.json(args) as Form).todos.map(({ evidence }) => evidence.level);

describe("recorded proofs", () => {
  test("are part of todos, show, ls and history", async () => {
    const machine = hosted();
    expect(levels(machine, "todos", "--session", "s")).toEqual(["none", "none"]);
    await appendProofs(machine.home, [record()]);
    expect(levels(machine, "todos", "--session", "s")).toEqual(["reproduced", "none"]);
    expect(levels(machine, "show", "s")).toEqual(["reproduced", "none"]);
    expect(machine.run(["todos", "--session", "s"]).stdout).toContain("✓✓✓ Add the index");
    expect(machine.json(["ls", "--all"])).toMatchObject([{ progress: { verified: 1 } }]);
    expect(machine.json(["history", "--session", "s"])).toMatchObject([
      { change: "added" },
      { change: "added" },
      { change: "proof", todo: "1", by: "system", detail: "passed: npm test, exit 0" },
    ]);
    expect(machine.run(["history", "--session", "s"]).stdout).toMatch(
      /✓✓✓ Add the index +passed: npm test, exit 0/,
    );
    // The list as it was before the proof.
    const before = new Date(Date.now() - 3_600_000).toISOString();
    expect(levels(machine, "todos", "--session", "s", "--at", before)).not.toContain("reproduced");
  });

  test("are shown if they failed, with warnings and in detail", async () => {
    const machine = hosted();
    await appendProofs(machine.home, [record({ ok: false, exitCode: 1 })]);
    expect(levels(machine, "todos", "--session", "s")).toEqual(["none", "none"]);
    expect(machine.run(["todos", "--session", "s"]).stdout).toMatch(
      /✗ +Add the index .*check failed/,
    );
    await appendProofs(machine.home, [record({ warnings: WARNINGS })]);
    const { stdout } = machine.run(["show", "s"]);
    expect(stdout).toMatch(/✓✓! Add the index/);
    expect(stdout).toContain("! test/refunds.test.ts:88  it.skip(");
    expect(machine.run(["history", "--session", "s"]).stdout).toMatch(
      /✓✓! Add the index +passed with warnings: npm/,
    );
    expect(stdout).toMatch(/reproduced by: npm test, exit 0, 41s, clean checkout 9f3c2e1, mbp-3/);
    expect(machine.json(["todos", "--session", "s"])).toMatchObject({
      progress: { completed: 1, verified: 0 },
      todos: [
        { evidence: { proof: { warnings: [{ file: "test/refunds.test.ts", line: 88 }, {}] } } },
        {},
      ],
    });
  });

  test("of agents' own lists become stale with later edits", async () => {
    const session = "0b0c2c1e-6c5e-4d52-9d43-0b5b9a6f9a01";
    const now = Date.now();
    const machine = machineWith(({ root }) => {
      const file = join(root, ".claude", "projects", "-p", `${session}.jsonl`);
      mkdirSync(dirname(file), { recursive: true });
      const text = claudeSession(session, root)
        .prompt("Go", now - 60_000)
        .todos([["Add the index", "completed"]], now - 50_000)
        .call(
          "Edit",
          { file_path: join(root, "a.ts"), old_string: "a", new_string: "b" },
          now - 20_000,
          "ok",
        )
        .call(
          "Edit",
          { file_path: join(root, "a.ts"), old_string: "b", new_string: "c" },
          now - 10_000,
          "ok",
        )
        .text();
      writeFileSync(file, text);
    });
    const id = { session, agent: "main" };
    await appendProofs(machine.home, [record({ id, at: now - 30_000, edits: 0 })]);
    expect(machine.run(["todos", "--session", session]).stdout).toContain("stale since 2 edits");
    expect(machine.json(["todos", "--session", session])).toMatchObject({
      todos: [{ evidence: { level: "none", proof: { ok: true, staleEdits: 2 } } }],
    });
    await appendProofs(machine.home, [record({ id, at: now - 5_000, edits: 2 })]);
    expect(levels(machine, "todos", "--session", session)).toEqual(["reproduced"]);
  });

  test("are not trusted where edits may have been skipped, and looked up for a single list", async () => {
    const session = "0b0c2c1e-6c5e-4d52-9d43-0b5b9a6f9a02";
    const now = Date.now();
    const machine = machineWith(({ root }) => {
      const file = join(root, ".claude", "projects", "-p", `${session}.jsonl`);
      mkdirSync(dirname(file), { recursive: true });
      const edit = { file_path: join(root, "a.ts"), old_string: "a", new_string: "b" };
      const long = claudeSession(session, root)
        .prompt("Go", now - 600_000)
        .todos([["Add the index", "completed"]], now - 590_000)
        .call("Edit", edit, now - 500_000, "ok");
      for (let n = 0; n < 200; n++)
        long.call("Read", { file_path: "b.ts" }, now - 400_000 + n, "x".repeat(1_000));
      writeFileSync(file, long.text());
    });
    const id = { session, agent: "main" };
    const verified = () =>
      (machine.json(["ls", "--all"]) as { progress: { verified: number } }[])[0]?.progress.verified;
    await appendProofs(machine.home, [record({ id, at: now - 550_000, edits: 0 })]);
    expect(verified()).toBe(0);
    expect(machine.run(["todos", "--session", session, "--all"]).stdout).toContain(
      "stale since 1 edit",
    );
    expect(machine.run(["show", session]).stdout).toContain("stale since 1 edit");
    await appendProofs(machine.home, [record({ id, at: now - 450_000, edits: 1 })]);
    expect(verified()).toBe(0);
    expect(levels(machine, "todos", "--session", session)).toEqual(["reproduced"]);
    await appendProofs(machine.home, [record({ id, at: now - 1_000, edits: 1 })]);
    expect(verified()).toBe(1);
  });

  test("reach a live feed from another process within two seconds", async () => {
    const machine = hosted();
    const env = { HOME: machine.root, WAYMARK_HOME: machine.home };
    const terminal = openTerminal(env);
    const home = openHome(env, terminal.printError);
    ends.push(() => home.close());
    const feed = await openFeed(
      { home, env, terminal },
      { userHome: machine.root, hasLists: true },
    );
    ends.push(() => feed.stop());
    await feed.ready;
    let board: ReadonlyMap<string, MergedTrack> = new Map(
      feed.tracks().map((each) => [trackKey(each.track), each]),
    );
    feed.subscribe((change) => {
      board = applyFeedChange(board, change);
    });
    const proven = () => [...board.values()].map(({ track }) => track.todos[0]?.proof?.at);
    expect(proven()).toEqual([undefined]);
    const at = Date.now();
    await appendProofs(machine.home, [record({ at })]);
    await vi.waitFor(() => expect(proven()).toEqual([at]), { timeout: 2_000, interval: 20 });
    // Accepting warnings repeats the record.
    await appendProofs(machine.home, [record({ at, accepted: true })]);
    await vi.waitFor(
      () => expect([...board.values()][0]?.track.todos[0]?.proof?.accepted).toBe(true),
      { timeout: 2_000, interval: 20 },
    );
  });

  test("of one list are those known at a time, and of its own agent", async () => {
    const { call, host } = newContext();
    await host({ session: "s" }, [{ text: "Add the index", status: "completed" }]);
    const tracker = await call.home.reading();
    const list = hostedList(tracker.list({ session: "s", agent: "main" }));
    const proven = withProofsOf(call.home.path, list);
    const checkAt = async (time: number) => (await proven.at(time)).todos[0]?.proof?.at;
    expect([(await proven.read()).todos[0]?.proof, await proven.history()]).toEqual([
      undefined,
      await list.history(),
    ]);
    const now = Date.now();
    await appendProofs(call.home.path, [
      record({ at: now + 1_000 }),
      record({ at: now + 2_000 }),
      record({ at: now + 3_000, id: { session: "s", agent: "sub" } }),
    ]);
    expect((await proven.read()).todos[0]?.proof?.at).toBe(now + 2_000);
    expect(await Promise.all([now, now + 1_000, now + 1_999, now + 2_000].map(checkAt))).toEqual([
      undefined,
      now + 1_000,
      now + 1_000,
      now + 2_000,
    ]);
    const rows = (await proven.history()).filter(({ via }) => via === "waymark verify");
    expect(rows.map(({ at }) => at)).toEqual([now + 1_000, now + 2_000]);
  });

  test("of one list are stale by its complete activity, where edits may have been skipped", async () => {
    const { call, host } = newContext();
    await host({ session: "s" }, [{ text: "Add the index", status: "completed" }]);
    const tracker = await call.home.reading();
    const own = hostedList(tracker.list({ session: "s", agent: "main" }));
    const edited = (at: number): Activity => ({ ...emptyActivity(), edits: { count: 3, at } });
    let fullReads = 0;
    const list: ReadList = {
      ...own,
      readInFull: () => {
        fullReads += 1;
        return { live: { activity: edited(300) } } as FullRead;
      },
    };
    const staleEdits = async (at: number, unreadUntil?: number) => {
      const activity = { ...edited(100), ...(unreadUntil !== undefined && { unreadUntil }) };
      const todos = (await withProofsOf(call.home.path, list, activity).read()).todos;
      expect(todos[0]?.proof?.at).toBe(at);
      return todos[0]?.proof?.staleEdits;
    };
    await appendProofs(call.home.path, [record({ at: 200, edits: 1 })]);
    expect([await staleEdits(200), await staleEdits(200, 200), fullReads]).toEqual([
      undefined,
      undefined,
      0,
    ]);
    expect([await staleEdits(200, 201), fullReads]).toEqual([2, 1]);
  });

  test("leave tracks of sessions without proofs untouched", async () => {
    const machine = machineWith(() => undefined);
    const merged = (session: string): MergedTrack => ({
      track: { ...emptyTrack({ session, agent: "main" }), todos: [] },
      hosted: true,
      state: "idle",
      findings: [],
      updatedAt: 1,
    });
    const tracks = [merged("a"), merged("s")];
    const add = openProofs(machine.home);
    expect(add(tracks)).toBe(tracks);
    await appendProofs(machine.home, [record()]);
    expect(add(tracks)[0]).toBe(tracks[0]);
  });

  test("are relayed without the output of the check", () => {
    const proof = proofOf(1, { output: "a secret" });
    const todos = [todo("1", { status: "completed", proof })];
    const track = { ...emptyTrack({ session: "s", agent: "main" }), todos };
    const merged: MergedTrack = { track, hosted: true, state: "idle", findings: [], updatedAt: 1 };
    expect(relayedTrackOf(merged, undefined).live.track.todos[0]?.proof).toEqual(proofOf(1));
  });
});

test("tracks keep the proofs that were read before while the home cannot be read", async () => {
  const machine = hosted();
  await appendProofs(machine.home, [record()]);
  const home = openHome({ HOME: machine.root, WAYMARK_HOME: machine.home }, () => undefined);
  ends.push(() => home.close());
  const tracks = (await (await home.reading()).tracks()).map((track) => ({ track }));
  const add = openProofs(machine.home);
  const before = add(tracks as unknown as readonly MergedTrack[]);
  expect(before).not.toEqual(tracks);
  renameSync(machine.home, `${machine.home}.away`);
  writeFileSync(machine.home, "");
  expect(add(tracks as unknown as readonly MergedTrack[])).toEqual(before);
  rmSync(machine.home);
  renameSync(`${machine.home}.away`, machine.home);
});
