import { describe, expect, expectTypeOf, it } from "vitest";
import type { Outcome } from "../../src/core/model.ts";
import { memoryStore } from "../../src/stores/memory.ts";
import type { Store } from "../../src/stores/store.ts";
import { storeContract } from "../../src/testing/index.ts";
import { adds } from "../../src/testing/judges.ts";

storeContract(
  "memoryStore",
  () => {
    const store = memoryStore({ onWarning: () => {} });
    return { store, cleanup: () => store.close() };
  },
  { lasting: false, shared: false, anyId: true },
);

describe("memoryStore", () => {
  it("answers at once and tells watchers before it returns", () => {
    const store = memoryStore();
    expectTypeOf(store).toExtend<Store>();
    const told: string[] = [];
    store.watch(({ position, event }) => told.push(`${position} ${event.key}`));
    const outcome: Outcome = store.commit(
      { session: "s", agent: "main" },
      "k",
      adds("k", "at once"),
    );
    expect(told).toStrictEqual(["1 k"]);
    expect(store.read({ session: "s", agent: "main" })).toStrictEqual(outcome.after);
  });

  it("warns of a watcher that fails", () => {
    const warnings: string[] = [];
    const store = memoryStore({ onWarning: (message) => warnings.push(message) });
    store.watch(() => {
      throw new Error("no room on the screen");
    });
    store.commit({ session: "s", agent: "main" }, "k", adds("k", "todo"));
    expect(warnings).toStrictEqual(["A watcher failed on event 1: no room on the screen"]);
  });
});
