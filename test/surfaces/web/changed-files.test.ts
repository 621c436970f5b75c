import { expect, test } from "vitest";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import { expectAccessibleNow, expectNoInjection, horizontalOverflow } from "./audit.ts";
import { EDITING, editedRepository, editingSession, writeTranscript } from "./editing.ts";
import { stagePerTest } from "./stage.ts";

const on = stagePerTest();
const TRACK = pagePath({ session: EDITING, agent: "main" });

test("shows the changed files of a session and of the selected todo", async () => {
  const stage = await on(editedRepository);
  const page = await stage.open({ bypassCSP: true });
  await page.goto(new URL(TRACK, stage.url()).href);
  const card = page.getByRole("region", { name: "Changed files" });
  await card.getByText("3 files, +5 −1").waitFor();
  await card.getByText("git diff since").waitFor();
  const rows = card.locator(":scope > .files > li");
  expect(await rows.allTextContents()).toEqual([
    "migrations/<img src=x onerror=alert(1)>\\u{202e}.sql+2 −0",
    "src/refunds/keys.ts+2 −1",
    "src/refunds/keys.test.ts+1 −0",
  ]);
  await card.getByText("1 other file in the repository differs").click();
  await card.getByText("notes.md").waitFor();
  await expectNoInjection(page);
  await expectAccessibleNow(page);

  const [first, second, third] = [0, 1, 2].map((index) => page.locator(".list .todo").nth(index));
  await first?.getByRole("button", { name: "2 files" }).waitFor();
  expect(await third?.locator(".files-count").count()).toBe(0);
  await second?.getByRole("button", { name: "2 files" }).click();
  const own = page.getByRole("region", { name: /Changed for this todo/ });
  expect(await own.locator("h3").textContent()).toBe("Changed for this todo 2 files");
  expect((await own.locator("li").allTextContents()).map((text) => text.slice(-11))).toEqual(
    ["}.sql+2 −0", "also todo 1"].map((text) => expect.stringContaining(text)),
  );

  // A new edit reaches the open page.
  const now = Date.now();
  writeTranscript(
    stage.machine,
    editingSession(stage.machine.cwd)
      .call("Write", { file_path: "src/late.ts", content: "1" }, now, "done")
      .text(),
  );
  await card.getByText("4 files").waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => horizontalOverflow(page)).toBe(0);
});
