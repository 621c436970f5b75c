import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadDriver } from "../../src/engines/sqlite/driver.ts";
import { thisMachine } from "../../src/sessions/transcripts/discover.ts";

export const FIXTURES = fileURLToPath(new URL("../fixtures/", import.meta.url));

export const CLAUDE = "3f0c5a52-7b1e-4c0e-9f57-2a64d1f0c9be";
export const CLAUDE_TASKS = "7d1e0b44-52aa-4f3b-8c11-9e0f6a7b8c9d";
export const CODEX = "019f2a10-77aa-7c10-8a55-0c1d2e3f4a5b";
export const GEMINI = "5b0f3c1e-7a34-4c55-9d0e-2f1a6b7c8d90";
export const GEMINI_CHILD = "97cd373d-db2a-4832-bb0d-a9e63118bd00";
export const QWEN = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
export const OPENCODE = "ses_d2c41a7f3ffeKq0ZbT8mWvXyLh";

/** A home directory with files of agents. */
export interface UserHome {
  readonly path: string;
  readonly machine: ReturnType<typeof thisMachine>;
  /** Writes a text or a fixture to where an agent would. */
  write(file: string, text: string): string;
  copy(fixture: string, file: string): string;
  remove(): void;
}

export function newUserHome(): UserHome {
  const path = mkdtempSync(join(tmpdir(), "waymark-home-"));
  const pathOf = (file: string): string => {
    const whole = join(path, file);
    mkdirSync(dirname(whole), { recursive: true });
    return whole;
  };
  return {
    path,
    machine: thisMachine(path, {}),
    write(file, text) {
      const whole = pathOf(file);
      writeFileSync(whole, text);
      return whole;
    },
    copy(fixture, file) {
      const whole = pathOf(file);
      cpSync(join(FIXTURES, fixture), whole, { recursive: true });
      return whole;
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

export function fixture(path: string): string {
  return readFileSync(join(FIXTURES, path), "utf8");
}

/** Writes the session files of every agent from the fixtures. */
export function fillHome(home: UserHome): void {
  home.copy("claude-code/todo-write/projects", ".claude/projects");
  home.copy("claude-code/todo-write/todos", ".claude/todos");
  home.copy("claude-code/tasks/interactive.jsonl", `.claude/projects/-srv/${CLAUDE_TASKS}.jsonl`);
  home.copy(`claude-code/tasks/files/${CLAUDE}`, `.claude/tasks/${CLAUDE}`);
  const day = ".codex/sessions/2026/11/15";
  home.copy("codex/rollout/simple.jsonl", `${day}/rollout-2026-11-15T18-34-15-${CODEX}.jsonl`);
  home.copy(
    "codex/rollout/subagent.jsonl",
    `${day}/rollout-2026-11-15T18-34-16-019f2a10-79bb-7d20-9b66-1d2e3f4a5b6c.jsonl`,
  );
  home.copy("gemini/0.61/projects.json", ".gemini/projects.json");
  const chats = ".gemini/tmp/shelf/chats";
  home.copy("gemini/0.61/chat.jsonl", `${chats}/session-2026-11-15T09-00-5b0f3c1e.jsonl`);
  home.copy("gemini/0.61/chat-subagent.jsonl", `${chats}/${GEMINI}/${GEMINI_CHILD}.jsonl`);
  home.copy("qwen/0.24/transcript.jsonl", `.qwen/projects/-home-dev-shelf/chats/${QWEN}.jsonl`);
  home.copy("qwen/0.24/todos.json", `.qwen/todos/${QWEN}.json`);
  home.copy("hermes/gateway/session.jsonl", ".hermes/sessions/h1.jsonl");
}

/** Writes an opencode database with the rows of the fixture. */
export async function writeOpencode(home: UserHome): Promise<string> {
  const path = home.write(".local/share/opencode/opencode.db", "");
  const rows = JSON.parse(fixture("opencode/1.18/rows.json")) as Record<
    "session" | "todo" | "part",
    Record<string, string | number | null>[]
  >;
  const db = (await loadDriver()).open(path);
  for (const [table, entries] of Object.entries(rows)) {
    const columns = Object.keys(entries[0] ?? {});
    db.exec(`CREATE TABLE ${table} (${columns.join(", ")})`);
    const insert = db.prepare(`INSERT INTO ${table} VALUES (${columns.map(() => "?").join(", ")})`);
    for (const entry of entries) insert.run(...columns.map((name) => entry[name] ?? null));
  }
  db.close();
  return path;
}
