import { test } from "vitest";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import { NOT_ON_WINDOWS, needs } from "../../skipped.ts";
import { expectAccessibleNow } from "./audit.ts";
import { EDITING, editedRepository } from "./editing.ts";
import { stagePerTest } from "./stage.ts";

const on = stagePerTest();
const TRACK = pagePath({ session: EDITING, agent: "main" });

test("shows the steps that were taken for a stalled agent", needs(NOT_ON_WINDOWS), async () => {
  const stage = await on(editedRepository);
  await stage.stop();
  await stage.serve(0, { env: { WAYMARK_ON_STALLED: "cat > /dev/null; exit 4" } });
  const page = await stage.open({ bypassCSP: true });
  await page.goto(new URL(TRACK, stage.url()).href);
  await page
    .locator(".hero")
    .getByText(/[Cc]ommand failed: exit 4 \d\d:\d\d\.$/)
    .waitFor();
  await expectAccessibleNow(page);
});
