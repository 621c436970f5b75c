import { expect, onTestFinished, test } from "vitest";
import { openHome } from "../../src/home/open.ts";
import { followHosted } from "../../src/sessions/hosted.ts";
import { newMachine } from "./machine.ts";

const ID = { session: "demo", agent: "main" };

/** Lists of our own that are there only later, and cannot be read at first. */
async function followedLists(failing: "opening" | "reading") {
  const machine = newMachine();
  onTestFinished(() => machine.remove());
  const home = openHome({ HOME: machine.root, WAYMARK_HOME: machine.home }, () => undefined);
  onTestFinished(() => home.close());
  let left = 1;
  const failOnce = () => {
    if (left-- > 0) throw new Error("busy");
  };
  const news: string[] = [];
  const problems: string[] = [];
  const lists = await followHosted(
    {
      isThere: home.isThere,
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
      onChange: (_, __, { todos }) => news.push(todos.map(({ text }) => text).join(" ")),
      onProblem: (error) => problems.push(String(error)),
    },
  );
  onTestFinished(() => lists.stop());
  const shown = () => lists.tracks().map(({ session, agent }) => ({ session, agent }));
  return { machine, lists, news, problems, shown };
}

test.each(["opening", "reading"] as const)(
  "lists whose first %s fails are there the next time",
  async (failing) => {
    const { machine, lists, news, problems, shown } = await followedLists(failing);
    expect(shown()).toEqual([]);
    machine.run(["todo", "add", "first", "--session", ID.session]);
    lists.look();
    await expect.poll(() => problems).toEqual(["Error: busy"]);
    await expect
      .poll(() => {
        lists.look();
        return shown();
      })
      .toEqual([ID]);
    await machine.start(["todo", "add", "second", "--session", ID.session]);
    await expect.poll(() => news).toEqual(["first", "first second"]);
    expect(problems).toEqual(["Error: busy"]);
  },
);
