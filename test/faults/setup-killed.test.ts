import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { waymark } from "../cli/running.ts";
import { needs } from "../skipped.ts";
import { makeQuickPlace } from "./quick-place.ts";
import { compileShim, NO_SHIM, type Shim, shimIn } from "./shim.ts";

const OWN = { command: "npx", args: ["waymark", "mcp"], env: { A: "1" } };
const HOOK = { hooks: [{ type: "command", command: "say done; waymark hook gemini AfterTool" }] };
const MINE = `{ "useWriteTodos": true, "mcpServers": { "waymark": ${JSON.stringify(OWN)} }, "hooks": { "AfterTool": [${JSON.stringify(HOOK)}] } }\n`;

describe("a killed setup", { timeout: 600_000, ...needs(NO_SHIM) }, () => {
  let place: string;
  let shim: Shim;
  beforeAll(() => {
    place = makeQuickPlace();
    shim = shimIn(place, compileShim(place));
    return () => rmSync(place, { recursive: true, force: true });
  });

  test("is undone by removal, which restores the user's own settings, entry and hooks", {
    tags: ["user-entry"],
  }, async () => {
    for (let nth = 1; ; nth++) {
      const user = join(place, `user-${nth}`);
      const file = join(user, ".gemini", "settings.json");
      const env = { HOME: user, WAYMARK_HOME: join(user, "waymark") };
      const setup = (...args: string[]) => waymark(["setup", "gemini", "--yes", ...args], "", env);
      mkdirSync(join(user, ".gemini"), { recursive: true });
      writeFileSync(file, MINE);
      shim.control.arm({ nth, error: "killed" });
      const first = await waymark(["setup", "gemini", "--yes"], "", { ...env, ...shim.env(user) });
      const { hits } = shim.control.counts();
      shim.control.disarm();
      if (nth % 2 === 0) expect((await setup()).code).toBe(0);
      expect((await setup("--remove")).code).toBe(0);
      expect([nth, readFileSync(file, "utf8")]).toEqual([nth, MINE]);
      if (hits > 0) continue;
      expect(first.code).toBe(0);
      expect(nth).toBeGreaterThan(10);
      return;
    }
  });
});
