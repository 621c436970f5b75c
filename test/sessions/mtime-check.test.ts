import { appendFileSync, mkdirSync, rmSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DECODERS } from "../../src/agents/index.ts";
import { discover } from "../../src/sessions/transcripts/discover.ts";
import { createMtimeCheck, hasChangedAgain } from "../../src/sessions/transcripts/mtime-check.ts";
import { createWatcher } from "../../src/sessions/transcripts/watcher.ts";
import { until } from "../until.ts";
import { CLAUDE, fixture, newUserHome, type UserHome } from "./home.ts";

let home: UserHome;
beforeEach(() => {
  home = newUserHome();
});
afterEach(() => home.remove());

const FILE = `.claude/projects/-p/${CLAUDE}.jsonl`;
const TEXT = fixture(`claude-code/todo-write/projects/-home-dev-demo/${CLAUDE}.jsonl`);

describe("the quick check", () => {
  test("detects new and removed files by their folder, and new folders", () => {
    const path = home.write(FILE, TEXT);
    const mtimeCheck = createMtimeCheck();
    const changed = () => {
      const was = mtimeCheck.foldersChanged();
      mtimeCheck.note(discover(DECODERS, home.machine));
      return was;
    };
    /** Some file systems have coarse times. */
    const age = (folder: string) => utimesSync(folder, 1_700_000_000, 1_700_000_000);
    age(dirname(path));
    changed();
    expect(changed()).toBe(false);
    home.write(`.claude/projects/-p/${CLAUDE.replace("3", "4")}.jsonl`, TEXT);
    expect(changed()).toBe(true);
    age(dirname(path));
    changed();
    rmSync(path);
    expect(changed()).toBe(true);
    mkdirSync(join(home.path, ".codex", "sessions"), { recursive: true });
    expect(changed()).toBe(true);
    expect(changed()).toBe(false);
  });

  test("detects growth of recently written files only", () => {
    const path = home.write(FILE, TEXT);
    const [source] = discover(DECODERS, home.machine).sources;
    if (!source) throw new Error("not found");
    const recent = 30 * 60_000;
    expect(hasChangedAgain(source, source.mtime)).toBe(false);
    appendFileSync(path, "{}\n");
    expect(hasChangedAgain(source, source.mtime)).toBe(true);
    expect(hasChangedAgain(source, source.mtime + recent)).toBe(true);
    expect(hasChangedAgain(source, source.mtime + recent + 1)).toBe(false);
    rmSync(path);
    expect(hasChangedAgain(source, source.mtime)).toBe(true);
  });
});

describe("sweeps", () => {
  /** The first checks of a watcher: sweeps (s) and quick checks (q), which find something or not. */
  async function watched(finds: { readonly sweep?: true; readonly quick?: true }) {
    const seen: string[] = [];
    const watcher = createWatcher({
      every: 10,
      onFiles: () => undefined,
      onSweep: () => seen.push("s") > 0 && finds.sweep === true,
      onQuickCheck: () => seen.push("q") > 0 && finds.quick === true,
      onWarning: () => undefined,
    });
    await until(() => seen.length >= 24, "24 checks").finally(() => watcher.stop());
    return seen.slice(0, 24).join("");
  }

  test("become less frequent while nothing happens", async () => {
    expect(await watched({})).toBe("sqsqqqsqqqqqsqqqqqsqqqqq");
  });

  test("run every time while they find something", async () => {
    expect(await watched({ sweep: true })).toBe("s".repeat(24));
  });

  test("follow a quick check that found something", async () => {
    expect(await watched({ quick: true })).toBe("sqsqsqsqsqsqsqsqsqsqsqsq");
  });
});
