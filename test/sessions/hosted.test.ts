import { expect, onTestFinished, test } from "vitest";
import { openHome } from "../../src/home/open.ts";
import { followHosted } from "../../src/sessions/hosted.ts";
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
