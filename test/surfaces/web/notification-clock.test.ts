import { expect, test } from "vitest";
import { stageOfEach } from "./stage.ts";

const on = stageOfEach();

interface Shown {
  readonly shown: readonly string[];
}

test("whoever looks elsewhere is told, also after the clock was set back", async () => {
  const made = await on((machine) => {
    machine.run(["todo", "add", "one", "--session", "demo"]);
  });
  const page = await made.open({ permissions: ["notifications"] });
  // What the browser is asked to show, and whether the page is seen, cannot be looked at otherwise.
  await page.addInitScript(() => {
    const shown: string[] = [];
    class Seen extends Notification {
      constructor(title: string, options: NotificationOptions) {
        super(title, options);
        shown.push(title);
      }
    }
    const real = Date.now;
    // The clock of the page begins an hour ahead of the one that the list is kept by.
    Object.assign(Date, { now: () => real() + 3_600_000 });
    const setBack = () => Object.assign(Date, { now: real });
    Object.assign(window, { shown, setBack, Notification: Seen, isHidden: false });
    Object.defineProperty(document, "hidden", {
      get: () => (window as unknown as { isHidden: boolean }).isHidden,
    });
  });
  await page.reload();
  await page.waitForSelector(".track");
  await page.getByRole("button", { name: "Tell me while I look elsewhere" }).click();
  await page.getByText(/While you look elsewhere, the browser tells you/).waitFor();
  await page.evaluate(() => {
    Object.assign(window, { isHidden: true });
    document.dispatchEvent(new Event("visibilitychange"));
    (window as unknown as { setBack(): void }).setBack();
  });
  made.machine.run(["todo", "done", "one", "--session", "demo"]);
  const shown = () => page.evaluate(() => (window as unknown as Shown).shown);
  await expect.poll(shown).toEqual(["Finished: one"]);
});
