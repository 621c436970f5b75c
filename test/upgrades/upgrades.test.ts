import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readProofs } from "../../src/checks/proofs.ts";
import { readApprovals, readLastRun } from "../../src/checks/store.ts";
import { loadDriver } from "../../src/engines/sqlite/driver.ts";
import { MIGRATIONS } from "../../src/engines/sqlite/schema.ts";
import { readClosedAt, readMore } from "../../src/home/board-settings.ts";
import { takeOffer } from "../../src/home/handoff/offers.ts";
import { readMachineId } from "../../src/home/machine-id.ts";
import { loadOrCreateToken } from "../../src/home/server.ts";
import { readStatusFile } from "../../src/home/status.ts";
import { readLastReport } from "../../src/servers/report/daily.ts";
import { readArchive } from "../../src/sessions/archive.ts";
import { recallCommandClaim } from "../../src/sessions/caller/claims.ts";
import { readMutes } from "../../src/sessions/mutes.ts";
import { loadIndex } from "../../src/sessions/transcripts/index-file.ts";
import { snapshotStore } from "../../src/stores/snapshots.ts";
import { readState } from "../../src/tasks/folder/state.ts";
import { noChange } from "../../src/testing/decisions.ts";
import { type Machine, newMachine } from "../cli/machine.ts";
import { NOT_STORED, STORED } from "./stored.ts";

const FIXTURE = JSON.parse(
  readFileSync("test/upgrades/fixtures/home-0.1.0.json", "utf8"),
) as Readonly<Record<string, string>>;
const FIRST_SCHEMA = readFileSync("test/tasks/fixtures/sqlite-schema-3.sql", "utf8");
const TRACK = { session: "s", agent: "main" };

/** The paths in a fixture are those of this machine, and names of files may be hashes of paths. */
function filled(text: string, { root }: Machine): string {
  return text
    .replaceAll("{ROOT}", root)
    .replace(/\{HASH ([^}]*)\}/g, (_, path: string) =>
      createHash("sha256").update(path).digest("hex").slice(0, 24),
    );
}

/** A machine with everything that version 0.1.0 stored, and a database of a schema version. */
async function restored(schema = MIGRATIONS[0]?.version ?? 0): Promise<Machine> {
  const machine = newMachine();
  onTestFinished(() => machine.remove());
  for (const [name, text] of Object.entries(FIXTURE)) {
    const path = join(machine.root, filled(name, machine));
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, filled(text, machine), { mode: 0o600 });
  }
  const db = (await loadDriver()).open(join(machine.home, "waymark.db"));
  db.exec(FIRST_SCHEMA);
  for (const { version, sql } of MIGRATIONS.slice(1)) if (version <= schema) db.exec(sql);
  db.exec(`PRAGMA user_version = ${schema}`);
  db.close();
  return machine;
}

/** All files below the root, byte for byte. */
function bytesOf({ root }: Machine): ReadonlyMap<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name));
  return new Map(files.map((path) => [path, readFileSync(path, "latin1")]));
}

const OPENED: Readonly<Record<string, (machine: Machine) => unknown>> = {
  async "waymark.db"({ json }) {
    const session = json(["show", "s"]) as { todos: readonly { text: string }[] };
    expect(session.todos.map(({ text }) => text)).toEqual(["One", "Two"]);
    const tasks = json(["task", "list", "--all"]) as readonly { id: string; subject: string }[];
    expect(tasks.map(({ id, subject }) => `${id} ${subject}`)).toEqual([
      "t1 Parent",
      "t2 Child",
      "t3 Waits",
      "t4 Claimed",
    ]);
  },
  async "todos/"({ root }) {
    const store = snapshotStore(join(root, "lists"));
    onTestFinished(() => store.close());
    expect((await store.events(TRACK)).map(({ key }) => key)).toEqual(["k1", "k2"]);
    expect((await store.read(TRACK)).todos.map(({ text }) => text)).toEqual(["One", "Two"]);
  },
  "checks/"({ home, cwd }) {
    expect(readApprovals(home, cwd)).toMatchObject({ checks: [{ name: "unit", command: "true" }] });
    expect(readLastRun(home, cwd, "unit")).toMatchObject({ ok: true, exitCode: 0 });
  },
  "proofs/": ({ home }) =>
    expect(readProofs(home, "s")).toMatchObject([{ check: "unit", ok: true, todo: { id: "1" } }]),
  "archive.json": ({ home }) =>
    expect(readArchive(home)).toEqual(new Map([["s", { at: 1795064021357, seen: 1795064018687 }]])),
  "mutes.json": ({ home }) =>
    expect(readMutes(home)).toMatchObject([{ session: "s", kind: "stalled" }]),
  "task-files/": ({ home }) =>
    expect(readState(join(home, "task-files", "sync.json"))).toMatchObject({
      branch: "refs/heads/master",
    }),
  "setup/"({ run, root }) {
    expect(run(["setup", "claude", "--remove", "--yes"])).toMatchObject({ status: 0 });
    expect(readFileSync(join(root, ".claude.json"), "utf8")).toBe('{\n  "theme": "dark"\n}\n');
  },
  "claims/": ({ home }) =>
    expect(
      recallCommandClaim(
        home,
        { store: "", task: "t1", owner: "ann" },
        { session: "s", pid: process.pid },
      ),
    ).toBe(1),
  "handoffs/": ({ home, cwd }) =>
    expect(
      takeOffer(home, { agentType: "codex", cwd, session: "new" }, 1795064018687),
    ).toMatchObject({ from: TRACK, title: "One" }),
  "spool/": ({ json }) =>
    expect(json(["ls", "--all"])).toEqual(
      expect.arrayContaining([expect.objectContaining({ session: "p" })]),
    ),
  machine: ({ home }) => expect(readMachineId(home)).toBe("4c11c930-7930-4dcb-bc3b-0734e1653171"),
  "serve-token": ({ home }) => expect(loadOrCreateToken(home)).toBe("A".repeat(43)),
  "board.json": ({ home }) => expect(readMore(home)).toBe(true),
  "board-closed": ({ home }) => expect(readClosedAt(home)).toBe(1795000000000),
  "report.json": ({ home }) => expect(readLastReport(home)?.day).toBe("2026-11-18"),
  // A cache of an earlier format is discarded.
  "index.json": ({ home }) => expect(loadIndex(join(home, "index.json"))).toEqual(new Map()),
  "status.json": ({ home }) => expect(readStatusFile(home)).toMatchObject([{ session: "s" }]),
  "config.toml": ({ run }) =>
    expect(run(["config", "get", "max-todos"])).toMatchObject({ status: 0, stdout: "30\n" }),
};

/** Changes a stored file as a newer version might write it. */
const later = (text: string) =>
  text.replace(/^\{\s*(?:"version":\s*\d+,)?/, '{"version":99,"later":[],');

interface Newer {
  readonly file: string | ((machine: Machine) => string);
  readonly command: readonly string[];
}

const NEWER: Readonly<Record<string, Newer>> = {
  "archive.json": { file: "home/archive.json", command: ["archive", "s", "--undo"] },
  "mutes.json": { file: "home/mutes.json", command: ["mute", "s", "--undo"] },
  "checks/": {
    file: "home/checks/{HASH {ROOT}/project}.json",
    command: ["check", "add", "false", "--name", "other"],
  },
  "setup/": {
    file: "home/setup/{HASH {ROOT}/.claude.json}.json",
    command: ["setup", "claude", "--yes"],
  },
  "task-files/": {
    file({ home, cwd, run }) {
      mkdirSync(join(cwd, "backlog", "tasks"), { recursive: true });
      expect(run(["task", "files"])).toMatchObject({ status: 0 });
      const names = readdirSync(join(home, "task-files"));
      return `home/task-files/${names.find((name) => name !== "sync.json")}`;
    },
    command: ["task", "files"],
  },
};

describe("an upgrade", { tags: ["interrupted-upgrade"] }, () => {
  it("has a fixture and a check of every kind of stored file", () => {
    expect(Object.keys(OPENED).toSorted()).toEqual(
      [...Object.keys(STORED), "config.toml"].toSorted(),
    );
    const page = readFileSync("docs/reference/store.md", "utf8");
    for (const name of Object.keys(STORED)) expect(page).toContain(`\`${name}\``);
  });

  it("knows every source that writes files", () => {
    const writes =
      /\b(?:createAtomically|replaceFile|replaceWithoutSync|writeFileSync|appendFileSync|appendLine|writeFile|createWriteStream)\(|\bopenSync\([^;]*?(?:"wx"|"a"|"w"|"r\+"|APPEND_FLAGS)|driver\.open\(path\)/;
    const found = readdirSync("src", { recursive: true, encoding: "utf8" })
      .map((name) => name.replaceAll("\\", "/"))
      .filter(
        (name) => name.endsWith(".ts") && writes.test(readFileSync(join("src", name), "utf8")),
      );
    const known = new Set([...Object.values(STORED).flat(), ...Object.keys(NOT_STORED)]);
    expect(found.toSorted()).toEqual([...known].toSorted());
  });

  it.each(Object.entries(OPENED))("opens what version 0.1.0 stored: %s", async (_, check) => {
    await check(await restored());
  });

  it.each(MIGRATIONS.map(({ version }) => version))(
    "opens a database of schema %i",
    async (schema) => {
      await OPENED["waymark.db"]?.(await restored(schema));
    },
  );

  it.each(Object.entries(NEWER))(
    "refuses to change a file of a newer version: %s",
    { tags: ["mixed-versions"] },
    async (_, { file, command }) => {
      const machine = await restored();
      // Migrates the database, so that only the refused change is left.
      machine.json(["ls", "--all"]);
      const name = typeof file === "string" ? file : file(machine);
      const path = join(machine.root, filled(name, machine));
      writeFileSync(path, later(readFileSync(path, "utf8")));
      const before = bytesOf(machine);
      const { status, stderr } = machine.run(command);
      expect(stderr).toContain(
        `The file ${path} has format 99, but this Waymark supports up to 1. It was not changed. Update Waymark to use it.`,
      );
      expect(status).toBe(3);
      expect(bytesOf(machine)).toEqual(before);
    },
  );

  it("refuses to open a journal of a newer version", { tags: ["mixed-versions"] }, async () => {
    const machine = await restored();
    const path = join(machine.root, "lists", "s-agent-main.events.jsonl");
    writeFileSync(path, '{"waymark":99,"session":"s","agent":"main"}\n');
    const before = bytesOf(machine);
    const store = snapshotStore(join(machine.root, "lists"));
    onTestFinished(() => store.close());
    const commit = async () => store.commit(TRACK, "k3", noChange("k3"));
    await expect(commit()).rejects.toMatchObject({
      code: "newer_store",
      message: expect.stringContaining(`The file ${path} has format 99`),
    });
    expect(bytesOf(machine)).toEqual(before);
  });

  it.each([
    ["todo", "add", "Three", "--session", "s"],
    ["task", "add", "Three"],
    ["ls", "--all"],
  ])(
    "leaves a database of a newer version as it is: %s %s",
    {
      tags: ["mixed-versions"],
    },
    async (...command) => {
      const machine = await restored();
      const db = (await loadDriver()).open(join(machine.home, "waymark.db"));
      db.exec("CREATE TABLE later (a); PRAGMA user_version = 99");
      db.close();
      const before = bytesOf(machine);
      const { status, stderr } = machine.run(command);
      const place = join(machine.home, "waymark.db");
      expect(stderr).toContain(
        `The store ${place} has schema 99, but this Waymark supports up to ${MIGRATIONS.at(-1)?.version}. It was not changed. Update Waymark to use it.`,
      );
      expect(status).toBe(3);
      expect(bytesOf(machine)).toEqual(before);
    },
  );
});
