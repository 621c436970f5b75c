import { describe, expect, expectTypeOf, it } from "vitest";
import type { Outcome } from "../../src/core/model.ts";
import { memoryStore } from "../../src/stores/memory.ts";
import type { Store } from "../../src/stores/store.ts";
import { addTodo } from "../../src/testing/decisions.ts";
import { storeContract } from "../../src/testing/index.ts";

storeContract(
  "memoryStore",
  () => {
    const store = memoryStore({ onWarning: () => {} });
    return { store, cleanup: () => store.close() };
  },
  { durable: false, shared: false, anyId: true },
);

describe("memoryStore", () => {
  it("returns directly and notifies subscribers before that", () => {
    const store = memoryStore();
    expectTypeOf(store).toExtend<Store>();
    const received: string[] = [];
    store.watch(({ position, event }) => received.push(`${position} ${event.key}`));
    const outcome: Outcome = store.commit(
      { session: "s", agent: "main" },
      "k",
      addTodo("k", "at once"),
    );
    expect(received).toStrictEqual(["1 k"]);
    expect(store.read({ session: "s", agent: "main" })).toStrictEqual(outcome.after);
  });

  it("warns about a failing subscriber", () => {
    const warnings: string[] = [];
    const store = memoryStore({ onWarning: (message) => warnings.push(message) });
    store.watch(() => {
      throw new Error("no room on the screen");
    });
    store.commit({ session: "s", agent: "main" }, "k", addTodo("k", "todo"));
    expect(warnings).toStrictEqual(["A listener failed on event 1: no room on the screen"]);
  });
});
