import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { trackPath } from "../../src/core/wire.ts";
import { type Machine, newMachine, PROGRAM } from "../cli/machine.ts";
import { start } from "../cli/running.ts";
import { serveProgram } from "../servers/mcp/clients.ts";
import { pause, until } from "../until.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const ID = ["--session", "a1"];

interface Home extends Machine {
  readonly db: string;
  readonly backup: string;
  texts(): string[];
}

/** A home with a list, and an earlier copy of its store. */
function homeWithBackup(): Home {
  const machine = newMachine();
  ends.push(() => machine.remove());
  const db = join(machine.home, "waymark.db");
  const backup = join(machine.root, "backup.db");
  machine.run(["todo", "add", "Early", ...ID]);
  copyFileSync(db, backup);
  machine.run(["todo", "add", "Late", ...ID]);
  const texts = () => {
    const { todos } = machine.json(["todos", ...ID]) as { todos: { text: string }[] };
    return todos.map(({ text }) => text);
  };
  return { ...machine, db, backup, texts };
}

/** Each leaves the earlier copy in place of the store. */
const WAYS: readonly (readonly [string, (home: Home) => void])[] = [
  ["renamed over", ({ db, backup }) => renameSync(backup, db)],
  ["restored in place", ({ db, backup }) => copyFileSync(backup, db)],
  [
    "removed and restored",
    ({ db, backup }) => {
      rmSync(db);
      copyFileSync(backup, db);
    },
  ],
  [
    "exchanged with its directory",
    ({ home, db, backup }) => {
      renameSync(home, `${home}.away`);
      mkdirSync(home);
      copyFileSync(backup, db);
    },
  ],
];

describe("a server with a replaced store", () => {
  function mcp(home: Home) {
    const served = serveProgram(ID, { home: home.home });
    ends.push(async () => {
      served.client.end();
      await served.ended;
    });
    return served.client;
  }

  test.each(WAYS)(
    "mcp writes to the store that was %s",
    { tags: ["replaced-store"] },
    async (_, replace) => {
      const home = homeWithBackup();
      const client = mcp(home);
      await client.initialize();
      expect((await client.call({ add: ["First"] })).isError).toBe(false);
      replace(home);
      const { text, isError } = await client.call({ add: ["Next"] });
      expect({ text, isError }).toMatchObject({ isError: false });
      expect(home.texts()).toStrictEqual(["Early", "Next"]);
    },
  );

  test("mcp reports a lost store and writes again after doctor --restore", {
    tags: ["lost-store", "replaced-store"],
  }, async () => {
    const home = homeWithBackup();
    const client = mcp(home);
    await client.initialize();
    await client.call({ add: ["First"] });
    rmSync(home.db);
    const { text, isError } = await client.call({ add: ["Next"] });
    expect(isError).toBe(true);
    expect(text).toMatch(
      /^The call failed: "The store .* is missing or empty.*--restore.*" Nothing was changed\.$/,
    );
    expect(home.run(["doctor", "--restore"]).status).toBe(0);
    expect((await client.call({ add: ["Next"] })).isError).toBe(false);
    expect(home.texts()).toStrictEqual(["Early", "Late", "First", "Next"]);
  });

  test("mcp accepts a subscription after the lost store is back, and announces another one", {
    tags: ["lost-store", "replaced-store"],
  }, async () => {
    const home = homeWithBackup();
    renameSync(home.db, `${home.db}.away`);
    const client = mcp(home);
    await client.initialize();
    const subscribe = () => client.ask("resources/subscribe", { uri: "waymark://list" });
    expect((await subscribe()).error?.message).toBeDefined();
    renameSync(`${home.db}.away`, home.db);
    expect((await subscribe()).error).toBeUndefined();
    renameSync(home.backup, home.db);
    await client.until(({ method }) => method === "notifications/resources/updated");
  });

  async function serve(home: Home) {
    const env = { HOME: home.root, WAYMARK_HOME: home.home };
    const args = [PROGRAM, "serve", "--no-open", "--json", "--port", "0"];
    const program = start(process.execPath, args, env);
    ends.push(() => {
      program.child.kill("SIGINT");
      return program.finished;
    });
    const url = await program.finds(/"url":"([^"]+)"/);
    const token = await program.finds(/"token":"([^"]+)"/);
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    return {
      async board() {
        const answer = await fetch(new URL("/api/tracks", url), { headers });
        return (await answer.json()) as {
          problem?: string;
          tracks: { track: { todos: { text: string }[] } }[];
        };
      },
      async add(text: string) {
        const body = JSON.stringify({ ops: [{ op: "add", todos: [{ text }] }], key: text });
        const path = `/api/tracks/${trackPath({ session: "a1", agent: "main" })}/ops`;
        const answer = await fetch(new URL(path, url), { method: "POST", headers, body });
        return { status: answer.status, said: await answer.text() };
      },
    };
  }

  test.each(WAYS)(
    "serve shows and writes the store that was %s",
    { tags: ["replaced-store"] },
    async (_, replace) => {
      const home = homeWithBackup();
      const page = await serve(home);
      const shown = async () =>
        (await page.board()).tracks.map(({ track }) => track.todos.map(({ text }) => text));
      expect(await shown()).toStrictEqual([["Early", "Late"]]);
      replace(home);
      await until(async () => (await shown())[0]?.length === 1, "the restored list");
      expect(await page.add("Next")).toMatchObject({ status: 200 });
      expect(home.texts()).toStrictEqual(["Early", "Next"]);
    },
  );

  test("serve reports a lost store on the page until it is restored", {
    tags: ["lost-store", "replaced-store"],
  }, async () => {
    const home = homeWithBackup();
    truncateSync(home.db);
    const page = await serve(home);
    const { problem, tracks } = await page.board();
    expect({ problem, tracks }).toStrictEqual({
      problem: expect.stringContaining("waymark doctor --restore"),
      tracks: [],
    });
    home.run(["doctor", "--restore"]);
    await until(async () => (await page.board()).tracks.length === 1, "the restored list");
    expect((await page.board()).problem).toBeUndefined();
    rmSync(home.db);
    await until(async () => (await page.board()).problem, "the page to say it again");
    const { status, said: printed } = await page.add("Next");
    expect(status).toBeGreaterThanOrEqual(500);
    expect(printed).toContain("store_lost");
    home.run(["doctor", "--restore"]);
    expect(await page.add("Next")).toMatchObject({ status: 200 });
    await until(async () => (await page.board()).problem === undefined, "the page to be quiet");
  });

  test("watch follows a replaced store", { tags: ["replaced-store"] }, async () => {
    const home = homeWithBackup();
    const env = { HOME: home.root, WAYMARK_HOME: home.home };
    const program = start(process.execPath, [PROGRAM, "watch", "--json"], env);
    ends.push(() => {
      program.child.kill("SIGINT");
      return program.finished;
    });
    let printed = "";
    program.child.stdout?.on("data", (bytes) => {
      printed += bytes;
    });
    await until(() => {
      home.run(["todo", "add", "Seen", ...ID]);
      return printed.includes("Seen");
    }, "the watch to have begun");
    cpSync(home.home, `${home.home}.copy`, { recursive: true });
    renameSync(home.home, `${home.home}.away`);
    renameSync(`${home.home}.copy`, home.home);
    home.run(["todo", "add", "Next", ...ID]);
    await program.untilPrinted("Next");
    expect(readFileSync(join(home.home, "todos", "a1-agent-main.json"), "utf8")).toContain("Next");
  });
});

describe("a home that is replaced by a file", () => {
  test.each([
    ["watch", ["watch", "a1"], /(is a file, not a directory)/],
    ["serve", ["serve", "--port", "0", "--no-open"], /(ENOTDIR)/],
  ] as const)("%s reports it and continues once the home is back", async (_, args, problem) => {
    const machine = newMachine();
    ends.push(() => machine.remove());
    mkdirSync(machine.home);
    const env = { HOME: machine.root, WAYMARK_HOME: machine.home };
    const running = start(process.execPath, [PROGRAM, ...args], env);
    await running.untilPrinted(args[0] === "watch" ? "No session matches" : "Press Ctrl+C");
    renameSync(machine.home, `${machine.home}.away`);
    writeFileSync(machine.home, "");
    await running.finds(problem);
    await pause(1_500, "each check of the home is repeated every second");
    rmSync(machine.home);
    renameSync(`${machine.home}.away`, machine.home);
    machine.run(["todo", "add", "Later", ...ID]);
    if (args[0] === "watch") await running.untilPrinted("list: 1 todo");
    expect(running.child.exitCode).toBeNull();
    running.child.kill("SIGINT");
    await running.finished;
  });
});
