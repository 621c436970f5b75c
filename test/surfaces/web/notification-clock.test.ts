import { expect, test } from "vitest";
import { stagePerTest } from "./stage.ts";

const on = stagePerTest();

interface Shown {
  readonly shown: readonly string[];
}

test("notifies after the clock was set back", async () => {
  const stage = await on((machine) => {
    machine.run(["todo", "add", "one", "--session", "demo"]);
  });
  const page = await stage.open({ permissions: ["notifications"] });
  // Records notifications and fakes the visibility, which Playwright cannot do.
  await page.addInitScript(() => {
    const shown: string[] = [];
    class Seen extends Notification {
      constructor(title: string, options: NotificationOptions) {
        super(title, options);
        shown.push(title);
      }
    }
    const real = Date.now;
    // The page's clock starts an hour ahead of the store's.
    Object.assign(Date, { now: () => real() + 3_600_000 });
    const setBack = () => Object.assign(Date, { now: real });
    Object.assign(window, { shown, setBack, Notification: Seen, isHidden: false });
    Object.defineProperty(document, "hidden", {
      get: () => (window as unknown as { isHidden: boolean }).isHidden,
    });
  });
  await page.reload();
  await page.waitForSelector(".track");
  await page.getByRole("button", { name: "Desktop notifications" }).click();
  await page.getByText(/Desktop notifications are on/).waitFor();
  await page.evaluate(() => {
    Object.assign(window, { isHidden: true });
    document.dispatchEvent(new Event("visibilitychange"));
    (window as unknown as { setBack(): void }).setBack();
  });
  stage.machine.run(["todo", "done", "one", "--session", "demo"]);
  const shown = () => page.evaluate(() => (window as unknown as Shown).shown);
  await expect.poll(shown).toEqual(["Finished: one"]);
});
