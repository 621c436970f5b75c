import axe from "axe-core";
import { expect, test } from "vitest";
import { renderReportHtml } from "../../../src/surfaces/report/html.ts";
import { NOW } from "../../core/report/tracks.ts";
import { night } from "../report/night.ts";
import { horizontalOverflow, hostile } from "./audit.ts";
import { browserPerFile } from "./browser.ts";

const browser = browserPerFile();
const UTC = { now: NOW, timeZone: "UTC" };

test("has no accessibility violations and no sideways scroll, light and dark", async () => {
  const html = renderReportHtml(night(), UTC);
  for (const colorScheme of ["light", "dark"] as const)
    for (const width of [320, 1100]) {
      const page = await browser().newPage({ colorScheme, viewport: { width, height: 800 } });
      await page.setContent(html);
      expect(await horizontalOverflow(page)).toBe(0);
      await page.evaluate(axe.source);
      const violations = await page.evaluate(async () => {
        const { axe: here } = window as unknown as {
          axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
        };
        return (await here.run()).violations.map(({ id, nodes }) => [id, nodes[0]?.html]);
      });
      expect({ colorScheme, width, violations }).toEqual({ colorScheme, width, violations: [] });
      await page.close();
    }
});

test("runs nothing that a session contains", async () => {
  const page = await browser().newPage();
  const dialogs: string[] = [];
  const requests: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  page.on("request", ({ url }) => requests.push(url()));
  for (const text of hostile(12))
    await page.setContent(
      renderReportHtml(
        night(() => text),
        UTC,
      ),
    );
  expect({ dialogs, requests }).toEqual({ dialogs: [], requests: [] });
  await page.close();
});
