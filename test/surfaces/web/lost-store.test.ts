import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stageOfEach } from "./stage.ts";

const on = stageOfEach();

test("N6 the page says that the store was lost, and shows the lists again after doctor --restore", async () => {
  const made = await on(({ run }) => {
    run(["todo", "add", "one", "--session", "demo"]);
  });
  const page = await made.open();
  const rows = page.getByText("one", { exact: true }).first();
  await rows.waitFor();
  rmSync(join(made.machine.home, "waymark.db"));
  const notice = page.getByRole("alert").getByText("waymark doctor --restore");
  await notice.waitFor();
  expect(made.machine.run(["doctor", "--restore"]).status).toBe(0);
  await notice.waitFor({ state: "detached" });
  await rows.waitFor();
});
