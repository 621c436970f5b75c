import { expect, onTestFinished, test } from "vitest";
import { openHome } from "../../src/home/open.ts";
import { followHosted } from "../../src/sessions/hosted.ts";
import { memoryStore } from "../../src/stores/memory.ts";
import { type Tracker, trackerOn } from "../../src/tracker.ts";
import { newMachine } from "../cli/machine.ts";

const ID = { session: "demo", agent: "main" };

/** Lists that are created later and cannot be read at first. */
async function followedLists(failing: "opening" | "reading") {
  const machine = newMachine();
  onTestFinished(() => machine.remove());
  const home = openHome({ HOME: machine.root, WAYMARK_HOME: machine.home }, () => undefined);
  onTestFinished(() => home.close());
  let left = 1;
  const failOnce = () => {
    if (left-- > 0) throw new Error("busy");
  };
  const updates: string[] = [];
  const problems: string[] = [];
  const lists = await followHosted(
    {
      exists: home.exists,
      async reading() {
        if (failing === "opening") failOnce();
        const tracker = await home.reading();
        if (failing === "opening") return tracker;
        return {
          ...tracker,
          async tracks() {
            failOnce();
            return tracker.tracks();
          },
        };
      },
    },
    {
      onChange: (_, __, { todos }) => updates.push(todos.map(({ text }) => text).join(" ")),
      onProblem: (error) => problems.push(String(error)),
    },
  );
  onTestFinished(() => lists.stop());
  const shown = () => lists.tracks().map(({ session, agent }) => ({ session, agent }));
  return { machine, lists, updates, problems, shown };
}

test.each(["opening", "reading"] as const)(
  "shows lists after their first %s failed",
  async (failing) => {
    const { machine, lists, updates, problems, shown } = await followedLists(failing);
    expect(shown()).toEqual([]);
    machine.run(["todo", "add", "first", "--session", ID.session]);
    lists.poll();
    await expect.poll(() => problems).toEqual(["Error: busy"]);
    await expect
      .poll(() => {
        lists.poll();
        return shown();
      })
      .toEqual([ID]);
    await machine.start(["todo", "add", "second", "--session", ID.session]);
    await expect.poll(() => updates).toEqual(["first", "first second"]);
    expect(problems).toEqual(["Error: busy"]);
  },
);

/** Lists that are read late: the answer to each read is held back until `deliver`. */
function slowLists() {
  const tracker = trackerOn(memoryStore());
  const held: (() => void)[] = [];
  let replaced: () => void = () => undefined;
  const slow = {
    ...tracker,
    async tracks() {
      const tracks = tracker.tracks();
      await new Promise<void>((resolve) => held.push(resolve));
      return tracks;
    },
    watch(listener: Parameters<typeof tracker.watch>[0], onReplaced = () => undefined) {
      replaced = onReplaced;
      return tracker.watch(listener);
    },
  };
  const home = { exists: () => true, reading: async () => slow as unknown as Tracker };
  const add = async (text: string) => {
    await tracker.list(ID).submit([{ op: "add", todos: [{ text }] }], { by: "user" });
  };
  const deliver = async () => {
    await expect.poll(() => held.length).toBe(1);
    held.shift()?.();
  };
  return { home, add, deliver, replace: () => replaced() };
}

test.each(["opened", "replaced"])(
  "applies events that arrive while the lists of a store that was %s are being read",
  async (cause) => {
    const { home, add, deliver, replace } = slowLists();
    await add("first");
    const following = followHosted(home, { onChange: () => undefined, onProblem: () => undefined });
    if (cause === "opened") {
      await Promise.resolve();
      await add("second");
    }
    await deliver();
    const lists = await following;
    onTestFinished(() => lists.stop());
    if (cause === "replaced") {
      replace();
      await add("second");
      await deliver();
    }
    await add("third");
    const texts = () => lists.tracks().flatMap(({ todos }) => todos.map(({ text }) => text));
    await expect.poll(texts).toEqual(["first", "second", "third"]);
  },
);
