import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Mode, Occasion } from "../../../src/agents/common/setup/agent.ts";
import { thisMachine } from "../../../src/sessions/transcripts/discover.ts";
import { carryOut, changesOf, planRemoval, planSetup } from "../../../src/setup/plan.ts";
import { type Agent, setupOf } from "./agents.ts";

/** Where each agent keeps what setup changes. */
export const MAIN_FILE: Readonly<Record<Agent, string>> = {
  claude: ".claude/settings.json",
  codex: ".codex/config.toml",
  gemini: ".gemini/settings.json",
  opencode: ".config/opencode/opencode.json",
  qwen: ".qwen/settings.json",
};

/** A home directory, and setup on it. */
export function newPlace() {
  const root = mkdtempSync(join(tmpdir(), "waymark-setup-"));
  const user = join(root, "user");
  const home = join(root, "waymark");
  mkdirSync(user);
  const occasion = (mode: Mode, more: Partial<Occasion> = {}): Occasion => ({
    mode,
    machine: thisMachine(user, {}),
    program: { command: "waymark", before: [] },
    exists: existsSync,
    ...more,
  });
  const planned = (agent: Agent, mode: Mode, more?: Partial<Occasion>) =>
    planSetup(setupOf(agent), occasion(mode, more), home);
  const removal = (agent: Agent, more?: Partial<Occasion>) =>
    planRemoval(setupOf(agent), occasion("waymark", more), home);
  return {
    root,
    user,
    home,
    occasion,
    path: (name: string) => join(user, name),
    write(name: string, text: string): void {
      mkdirSync(dirname(join(user, name)), { recursive: true });
      writeFileSync(join(user, name), text);
    },
    writeBytes: (name: string, bytes: Buffer) => writeFileSync(join(user, name), bytes),
    read: (name: string) => readFileSync(join(user, name), "utf8"),
    planned,
    /** Sets up and answers how many files changed. */
    setUp(agent: Agent, mode: Mode = "waymark", more?: Partial<Occasion>): number {
      const plan = planned(agent, mode, more);
      carryOut(plan, home);
      return changesOf(plan).length;
    },
    removal,
    remove(agent: Agent, more?: Partial<Occasion>): number {
      const plan = removal(agent, more);
      carryOut(plan, home);
      return changesOf(plan).length;
    },
    /** As on another machine, or after its home was lost. */
    forget: () => rmSync(home, { recursive: true, force: true }),
    /** Every file with its content, and every folder. */
    everything(): Record<string, string> {
      const names = readdirSync(user, { recursive: true, encoding: "utf8" }).sort();
      return Object.fromEntries(
        names.map((name) => {
          const path = join(user, name);
          return [name, statSync(path).isDirectory() ? "folder" : readFileSync(path, "utf8")];
        }),
      );
    },
    end: () => rmSync(root, { recursive: true, force: true }),
  };
}
