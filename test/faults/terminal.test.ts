import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { waymark } from "../cli/running.ts";
import { bundleWorker, removeBundle } from "../concurrency/processes.ts";
import { FULL } from "../full.ts";
import { hostileTexts, strangeIn } from "./hostile-text.ts";
import { quickPlace } from "./quick-place.ts";
import { MARK, type TerminalOrders } from "./terminal-orders.ts";

const TEXTS = FULL ? 100_000 : 3_000;
const AS_ARGUMENTS = FULL ? 2_000 : 15;
const SEED = Number(process.env.WAYMARK_SEED ?? 11);

let script: string;
beforeAll(async () => {
  script = await bundleWorker("test/faults/terminal-worker.ts");
  return () => removeBundle(script);
});

/** Unexpected output, by command. */
function faultsIn(output: string): string[] {
  return output.split(MARK).flatMap((part) => {
    const [command = "", ...lines] = part.split("\n");
    const strange = strangeIn(lines.join("\n"));
    return strange === undefined ? [] : [`${command.slice(0, 80)}: ${strange}`];
  });
}

describe("texts with terminal control sequences", { timeout: 1_800_000 }, () => {
  test(`${TEXTS} texts in every field and argument print only our own colors`, {
    tags: ["terminal-escape", "look-alike-text"],
  }, () => {
    const place = quickPlace();
    const texts = join(place, "texts.json");
    writeFileSync(texts, JSON.stringify(hostileTexts(TEXTS, SEED)));
    mkdirSync(join(place, "project"));
    const out = join(place, "out");
    const handle = openSync(out, "w");
    const orders: TerminalOrders = { texts, asArguments: AS_ARGUMENTS };
    const { status } = spawnSync(process.execPath, [script, JSON.stringify(orders)], {
      cwd: join(place, "project"),
      stdio: ["ignore", handle, handle],
      env: {
        PATH: process.env.PATH,
        HOME: place,
        WAYMARK_HOME: join(place, "home"),
        FORCE_COLOR: "1",
        LANG: "C.UTF-8",
        COLUMNS: "80",
      },
    });
    closeSync(handle);
    const output = readFileSync(out, "utf8");
    expect({ status, ended: output.endsWith(`${MARK} end\n`) }).toStrictEqual({
      status: 0,
      ended: true,
    });
    expect(faultsIn(output)).toStrictEqual([]);
    expect(output).toContain("\u001b[");
    expect(output).toContain("\u241b");
  });

  test("texts of an agent's stream print only our own colors", {
    tags: ["terminal-escape"],
  }, async () => {
    const place = quickPlace();
    const lines = hostileTexts(FULL ? 5_000 : 200, SEED + 1).flatMap((text, n) => {
      const todos = [
        { content: text, activeForm: text, status: "in_progress" },
        { content: `${n}`, activeForm: text, status: "completed" },
      ];
      const call = { type: "tool_use", id: `c${n}`, name: "TodoWrite", input: { todos } };
      const shell = { type: "tool_use", id: `b${n}`, name: text, input: { command: text } };
      const results = [
        { type: "tool_result", tool_use_id: `c${n}`, content: "written" },
        { type: "tool_result", tool_use_id: `b${n}`, content: text, is_error: true },
      ];
      return [
        { type: "assistant", session_id: "s", cwd: text, message: { content: [call, shell] } },
        { type: "user", session_id: "s", message: { content: results } },
      ].map((record) => JSON.stringify(record));
    });
    const env = { HOME: place, WAYMARK_HOME: join(place, "home"), FORCE_COLOR: "1" };
    const { stdout, stderr } = await waymark(
      ["pipe"],
      `${lines.join("\n")}\nno JSON \u001b[2J\n`,
      env,
    );
    expect(strangeIn(`${stdout}${stderr}`)).toBeUndefined();
    expect(String(stdout).length + stderr.length).toBeGreaterThan(1_000);
  });
});
