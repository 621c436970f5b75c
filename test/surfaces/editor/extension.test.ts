import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { buildExtension } from "../../../scripts/vscode.mjs";
import { type Machine, newMachine, PROGRAM } from "../../cli/machine.ts";
import { start } from "../../cli/running.ts";
import { signInBy } from "../../servers/http/sign-in.ts";
import { until } from "../../until.ts";
import { type Editor, openEditor } from "./editor.ts";

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "waymark-vscode-"));
  await buildExtension(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function machineOf(): Machine {
  const machine = newMachine();
  ends.push(() => machine.remove());
  return machine;
}

/** The program in the home of this machine. */
const program = ({ root, home }: Machine) => [
  "env",
  `HOME=${root}`,
  `WAYMARK_HOME=${home}`,
  process.execPath,
  PROGRAM,
];

function editorOn(machine: Machine, command = program(machine)): Editor {
  const editor = openEditor(folder, { command, folders: [machine.cwd] });
  ends.push(editor.close);
  return editor;
}

const labels = (rows: ReturnType<Editor["rows"]>) =>
  rows.map(({ row: { label, description } }) => [label, description]);

const TODOS = {
  todos: [
    { content: "Write the migration", status: "completed", activeForm: "Writing" },
    {
      content: "Backfill $(alert) keys",
      status: "in_progress",
      activeForm: "Backfilling $(alert)",
    },
    { content: "Drop the column", status: "pending", activeForm: "Dropping" },
  ],
};

test("shows the sessions with their todos, live, and changes them as the user", async () => {
  const machine = machineOf();
  machine.tool("TodoWrite", TODOS, "--session", "demo");
  const editor = editorOn(machine);
  const [session] = await until(() => editor.rows().length > 0 && editor.rows(), "the session");
  expect(session?.row).toMatchObject({
    label: "Backfill $(alert) keys",
    description: "1 of 3 · working · project",
    contextValue: "session",
    collapsibleState: 2,
  });
  const todos = () => editor.rows(editor.rows()[0]?.node);
  expect(labels(todos())).toEqual([
    ["Write the migration", "unverified"],
    ["Backfilling $(alert)", "in progress"],
    ["Drop the column", ""],
  ]);
  // The status bar draws `$(name)` as an icon, unless it is escaped.
  await until(() => editor.status.isShown, "the status bar item");
  expect(editor.status.text).toBe("$(checklist) 1 of 3 Backfilling \\$(alert)");

  await editor.run("markDone", todos()[2]?.node);
  await expect.poll(() => labels(todos())[2]?.[1]).toBe("unverified");
  expect(machine.json(["todos", "--session", "demo"])).toMatchObject({
    todos: [{}, {}, { status: "completed" }],
  });
  await editor.run("reopen", todos()[2]?.node);
  await expect.poll(() => labels(todos())[2]?.[1]).toBe("");

  machine.run(["todo", "add", "Announce it", "--session", "demo"]);
  await expect.poll(() => labels(todos()).length).toBe(4);
  expect(editor.errors).toEqual([]);
});

test("opens the board and a session in the browser, signed in", async () => {
  const machine = machineOf();
  machine.tool("TodoWrite", TODOS, "--session", "demo");
  const editor = editorOn(machine);
  const [session] = await until(() => editor.rows().length > 0 && editor.rows(), "the session");
  await editor.run("open", session?.node);
  await editor.run("open");
  expect(editor.errors).toEqual([]);
  const [one = "", all = ""] = editor.opened;
  expect((await signInBy(one)).status).toBe(200);
  expect((await signInBy(all)).status).toBe(200);
  expect(one).toContain("demo");
});

test("uses the server that runs, and starts one when that ends", async () => {
  const machine = machineOf();
  machine.tool("TodoWrite", TODOS, "--session", "demo");
  const [command = "", ...args] = program(machine);
  const server = start(command, [...args, "serve", "--no-open", "--json"], {});
  const url = await server.finds(/"url":"([^"]+)"/);
  const editor = editorOn(machine);
  await until(() => editor.rows().length > 0, "the session");
  await editor.run("open");
  expect(new URL(editor.opened[0] ?? "").origin).toBe(new URL(url).origin);
  server.child.kill("SIGTERM");
  await until(() => editor.contexts["waymark.connection"] === "lost", "the end of the server");
  expect(editor.view.message).toBe("Lost the connection to the server.");
  expect(editor.status.isShown).toBe(false);
  await editor.run("retry");
  await until(() => editor.contexts["waymark.connection"] === "live", "the next server");
  expect(editor.view.message).toBe("");
  machine.run(["todo", "add", "Announce it", "--session", "demo"]);
  await expect.poll(() => editor.rows(editor.rows()[0]?.node).length).toBe(4);
});

test("says how to install the program if it is missing, or why it does not start", async () => {
  const machine = machineOf();
  const missing = editorOn(machine, ["waymark-that-is-not-there"]);
  await expect.poll(() => missing.view.message).toContain("npm install --global waymark");
  await missing.run("open");
  expect(missing.errors).toEqual(["Waymark: The server is not running."]);
  const broken = editorOn(machine, [...program(machine), "--no-such-option"]);
  await expect.poll(() => broken.view.message).toContain("--no-such-option");
});
