import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stagePerTest } from "./stage.ts";

const on = stagePerTest();

test("reports a lost store and shows the lists again after doctor --restore", {
  tags: ["lost-store"],
}, async () => {
  const stage = await on(({ run }) => {
    run(["todo", "add", "one", "--session", "demo"]);
  });
  const page = await stage.open();
  const rows = page.getByText("one", { exact: true }).first();
  await rows.waitFor();
  rmSync(join(stage.machine.home, "waymark.db"));
  const notice = page.getByRole("alert").getByText("waymark doctor --restore");
  await notice.waitFor();
  expect(stage.machine.run(["doctor", "--restore"]).status).toBe(0);
  await notice.waitFor({ state: "detached" });
  await rows.waitFor();
});
