import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import {
  callersIn,
  epochOf,
  recallCommandClaim,
  rememberCommandClaim,
} from "../../src/sessions/caller/claims.ts";
import type { Process } from "../../src/sessions/caller/processes.ts";

const DAY = 86_400_000;
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "waymark-claims-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
});

const claim = { store: "", task: "t1", owner: "ann", epoch: 3 };
const caller = { session: "s", pid: 1 };
const names = () => readdirSync(join(home, "claims"));
const write = (name: string, content: unknown) => {
  mkdirSync(join(home, "claims"), { recursive: true });
  writeFileSync(
    join(home, "claims", name),
    typeof content === "string" ? content : JSON.stringify(content),
  );
};

describe("the claim of a session", () => {
  test("is known by store, task, owner and session", () => {
    rememberCommandClaim(home, claim, caller);
    const recall = (more: object, session = "s") =>
      recallCommandClaim(home, { ...claim, ...more }, { ...caller, session });
    expect(recall({})).toBe(3);
    expect(recall({ store: "postgres://other" })).toBeUndefined();
    expect(recall({ task: "t2" })).toBeUndefined();
    expect(recall({ owner: "bob" })).toBeUndefined();
    expect(recall({}, "other")).toBeUndefined();
  });

  test("has the last epoch", () => {
    for (const [index, epoch] of [2, 9, 4].entries())
      write(`${index}.json`, { ...claim, epoch, session: "s", at: 1 });
    expect(recallCommandClaim(home, claim, caller)).toBe(9);
    for (const epoch of [10, 11]) rememberCommandClaim(home, { ...claim, epoch }, caller);
    expect(names()).toHaveLength(1);
    expect(recallCommandClaim(home, claim, caller)).toBe(11);
  });

  test("is stored without the URL, which may contain a password", () => {
    const store = "postgres://ann:secret@db/x";
    rememberCommandClaim(home, { ...claim, store }, caller);
    const [name = ""] = names();
    expect(name).toMatch(/^[0-9a-f]{24}\.json$/);
    const file = JSON.parse(readFileSync(join(home, "claims", name), "utf8"));
    expect(file).toStrictEqual({
      store: expect.stringMatching(/^[0-9a-f]{24}$/),
      task: "t1",
      owner: "ann",
      epoch: 3,
      session: "s",
      above: [],
      at: expect.any(Number),
    });
    expect(recallCommandClaim(home, { ...claim, store }, caller)).toBe(3);
    expect(recallCommandClaim(home, claim, caller)).toBeUndefined();
  });

  test("is removed 30 days later, with the next claim", () => {
    write("old.json", { ...claim, session: "s", at: Date.now() - 30 * DAY - 60_000 });
    write("new.json", { ...claim, session: "s", at: Date.now() - 30 * DAY + 60_000 });
    write("note.txt", { ...claim, session: "s", at: 1 });
    rememberCommandClaim(home, { ...claim, task: "t2" }, caller);
    expect(names().filter((name) => /^[a-z]{3,4}\./.test(name))).toEqual(["new.json", "note.txt"]);
  });

  test("is unknown without files, and where they are broken", () => {
    expect(recallCommandClaim(home, claim, caller)).toBeUndefined();
    const { task: _, ...noTask } = claim;
    const { owner: __, ...noOwner } = claim;
    for (const [index, content] of ["", "[]", "null", noTask, noOwner].entries())
      write(`${index}.json`, content);
    write("epoch.json", { ...claim, epoch: "3", session: "s" });
    write("other.txt", { ...claim, session: "s" });
    expect(recallCommandClaim(home, claim, caller)).toBeUndefined();
    // Other fields have a default.
    write("some.json", { ...claim, store: 1, session: 2, above: ["x", 3], at: "x" });
    expect(recallCommandClaim(home, claim, caller)).toBeUndefined();
    write("same.json", { task: "t1", owner: "ann", epoch: 5, session: "s" });
    expect(recallCommandClaim(home, claim, caller)).toBe(5);
  });

  test("is not remembered in a home that cannot be written", () => {
    writeFileSync(join(home, "claims"), "");
    rememberCommandClaim(home, claim, caller);
    expect(recallCommandClaim(home, claim, caller)).toBeUndefined();
  });
});

describe("the claim of a shell", () => {
  const one = (pid: number): Process => ({ pid, parent: 0, name: "sh", startTime: `t${pid}` });

  test("is known by the processes above the command but the outermost", () => {
    const above = (...pids: readonly number[]) => callersIn(pids.map(one), "ns");
    expect(above(5, 4, 3, 2)).toEqual(["ns:4 t4", "ns:3 t3"]);
    expect(above(5, 4)).toEqual(["ns:4 t4"]);
    expect([above(5), above()]).toEqual([[], []]);
  });

  test("is that of the nearest shell that made one", () => {
    const known = [
      { epoch: 9, above: ["worker-2", "terminal"] },
      { epoch: 8, above: ["inner", "worker-1", "terminal"] },
      { epoch: 7, above: ["worker-1", "terminal"] },
      { epoch: 6, above: [] },
    ];
    expect(epochOf(known, ["worker-1", "terminal"])).toBe(7);
    expect(epochOf(known, ["inner", "worker-1", "terminal"])).toBe(8);
    expect(epochOf(known, ["worker-3", "terminal"])).toBe(9);
    expect(epochOf(known, ["terminal"])).toBe(9);
    expect(epochOf(known, ["elsewhere"])).toBeUndefined();
    expect(epochOf(known, [])).toBeUndefined();
    // The last of those that are equally near.
    expect(
      epochOf(
        [
          { epoch: 2, above: ["a"] },
          { epoch: 1, above: ["a"] },
        ],
        ["a"],
      ),
    ).toBe(2);
  });
});
