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
import type { Machine } from "../../../src/agents/agent.ts";
import type { Mode, SetupRequest } from "../../../src/agents/common/setup/agent.ts";
import { thisMachine } from "../../../src/sessions/transcripts/discover.ts";
import { applyPlan, changesOf, planRemoval, planSetup } from "../../../src/setup/plan.ts";
import { type Agent, setupOf } from "./agents.ts";

/** The main configuration file of each agent. */
export const MAIN_FILE: Readonly<Record<Agent, string>> = {
  claude: ".claude/settings.json",
  codex: ".codex/config.toml",
  copilot: ".copilot/mcp-config.json",
  gemini: ".gemini/settings.json",
  opencode: ".config/opencode/opencode.json",
  qwen: ".qwen/settings.json",
  kilo: ".config/kilo/kilo.json",
  kimi: ".kimi-code/config.toml",
  omp: ".omp/agent/mcp.json",
  openclaw: ".openclaw/openclaw.json",
};

/** A home directory to run setup in. */
export function newSandbox({ platform }: { readonly platform?: Machine["platform"] } = {}) {
  const root = mkdtempSync(join(tmpdir(), "waymark-setup-"));
  const user = join(root, "user");
  const home = join(root, "waymark");
  mkdirSync(user);
  const request = (mode: Mode, more: Partial<SetupRequest> = {}): SetupRequest => ({
    mode,
    machine: { ...thisMachine(user, {}), ...(platform && { platform }) },
    program: { command: "waymark", prefixArgs: [] },
    exists: existsSync,
    ...more,
  });
  const planned = (agent: string, mode: Mode, more?: Partial<SetupRequest>) =>
    planSetup(setupOf(agent), request(mode, more), home);
  const removal = (agent: string, more?: Partial<SetupRequest>) =>
    planRemoval(setupOf(agent), request("waymark", more), home);
  return {
    root,
    user,
    home,
    request,
    path: (name: string) => join(user, name),
    write(name: string, text: string): void {
      mkdirSync(dirname(join(user, name)), { recursive: true });
      writeFileSync(join(user, name), text);
    },
    writeBytes: (name: string, bytes: Buffer) => writeFileSync(join(user, name), bytes),
    read: (name: string) => readFileSync(join(user, name), "utf8"),
    planned,
    /** Runs setup. Returns how many files changed. */
    setUp(agent: string, mode: Mode = "waymark", more?: Partial<SetupRequest>): number {
      const plan = planned(agent, mode, more);
      applyPlan(plan, home);
      return changesOf(plan).length;
    },
    removal,
    remove(agent: string, more?: Partial<SetupRequest>): number {
      const plan = removal(agent, more);
      applyPlan(plan, home);
      return changesOf(plan).length;
    },
    /** Deletes the receipts, as if Waymark's directory were lost. */
    forget: () => rmSync(home, { recursive: true, force: true }),
    /** Every file with its content, and every directory. */
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
