import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  compile,
  importAll,
  linkPackage,
  MODULES,
  makeConsumer,
  PEERS,
  STRICT,
} from "../scripts/check-types.mjs";
import { exportedNames } from "../scripts/exported-names.mjs";
import { exportsOf, referencePages, tagsOf } from "../scripts/reference.mjs";
import { snippetsIn } from "../scripts/snippets.mjs";
import { entries, SHARED, writeTypes } from "../scripts/types.mjs";
import { GUIDES, textOf } from "./docs/pages.ts";
import { examplesIn, SNIPPET_PACKAGES } from "./docs/snippets.ts";
import { NO_SDKS } from "./servers/sdk/sdks.ts";

/** A user's project with only this package in its node_modules. */
const dir = mkdtempSync(join(tmpdir(), "waymark-consumer-"));
/** The declarations of each entry in one file, the source of the API reference. */
const whole = mkdtempSync(join(tmpdir(), "waymark-declarations-"));
beforeAll(() => {
  makeConsumer(dir);
  expect(writeTypes(whole, { isShared: false })).toBe(0);
});
afterAll(() => {
  for (const each of [dir, whole]) rmSync(each, { recursive: true, force: true });
});

const declarations = (file: string) =>
  readFileSync(join(dir, "node_modules/waymark", file), "utf8");
const complete = (file: string) => readFileSync(join(whole, file), "utf8");
const all = entries();
const names = all.map(({ name }) => name);

describe("the entries of the package", () => {
  test("export the names in exports.txt", async () => {
    const pinned = all.map(({ name, file }) => {
      const exported = exportedNames(file, declarations(file), declarations(SHARED));
      const of = (isValue: boolean) =>
        exported.filter((one) => one.isValue === isValue).map((one) => `    ${one.name}`);
      return [name, "  run time", ...of(true), "  types", ...of(false)].join("\n");
    });
    await expect(`${pinned.join("\n\n")}\n`).toMatchFileSnapshot("exports.txt");
  });

  test("export at run time what their types declare", () => {
    const script = `
      const found = {};
      for (const name of ${JSON.stringify(names)}) found[name] = Object.keys(await import(name)).sort();
      console.log(JSON.stringify(found));`;
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ["--input-type=module", "--eval", script],
      { encoding: "utf8" },
    );
    const declared = all.map(({ name, file }) => [
      name,
      exportedNames(file, declarations(file), declarations(SHARED)).flatMap((one) =>
        one.isValue ? one.name : [],
      ),
    ]);
    expect([stderr, JSON.parse(stdout || "{}")]).toEqual(["", Object.fromEntries(declared)]);
  });
});

describe("the types of the package", () => {
  test("are one file per entry and one for shared declarations", () => {
    const files = readdirSync(join(dir, "node_modules/waymark/dist"), { recursive: true });
    const written = files.map(String).filter((file) => file.endsWith(".d.ts"));
    const expected = [...all.map(({ file }) => file), SHARED];
    expect(written.sort()).toEqual(expected.map((file) => file.replace("./dist/", "")).sort());
  });

  test("compile without any other package, declarations included", () => {
    const alone = names.filter((name) => !(name in PEERS));
    expect(compile(dir, importAll(alone), { ...MODULES.NodeNext, ...STRICT })).toBe("");
  });

  test("import only packages that the user of the entry has", () => {
    const imported = [...all, { name: "shared", file: SHARED }].flatMap(({ name, file }) =>
      [...declarations(file).matchAll(/^import .* from "([^."][^"]*)"/gm)].map(
        ([, from]) => `${name}: ${from}`,
      ),
    );
    expect(imported).toEqual([
      "waymark/ink: react",
      "waymark/sdk/ai: ai",
      "waymark/acp: @agentclientprotocol/sdk",
      "waymark/acp: @agentclientprotocol/sdk/experimental/v2",
    ]);
  });

  test("keep the order and ids of the tools, and synchronous results on a store in memory", () => {
    const program = `
      import { CLAUDE_TASKS, createTracker, taskTools, todoTools, type ToolResult } from "waymark";
      import type { TaskAnswer, TaskEvent, TaskFilter, TaskSender, TaskStatus } from "waymark";
      import { memoryTaskStore } from "waymark/tasks/memory";
      import { sqliteStore } from "waymark/stores/sqlite";
      import { anthropicSession } from "waymark/sdk/anthropic";
      import { chatSession, responsesSession } from "waymark/sdk/openai";

      const tracker = createTracker();
      const [own] = tracker.tools();
      const atOnce: ToolResult = own.execute({});
      const [write, todos] = todoTools(tracker.own, { tools: ["TodoWrite", "todos"] });
      const id: "TodoWrite" = write.id;
      const text: string = todos.execute({}).text;
      const [perhaps] = tracker.tools({ enabled: Math.random() > 2 });
      // @ts-expect-error: the tools may be switched off
      perhaps.execute({});

      const later = createTracker({ store: await sqliteStore("todos.db"), session: "s" });
      const [todosLater] = later.tools();
      // @ts-expect-error: a file store returns promises
      todosLater.execute({}).text;
      const result: ToolResult = await todosLater.execute({});

      const store = memoryTaskStore();
      const [create, update, get, list] = taskTools(store, { tools: CLAUDE_TASKS, owner: "ann" });
      const { ok } = await create.execute({ subject: "Cut" });
      const sender: TaskSender = { by: "agent", via: "me" };
      const answer: TaskAnswer = store.apply({ op: "add", tasks: [{ subject: "Cut" }] }, sender);
      const status: TaskStatus = "open";
      const filter: TaskFilter = { status };
      const events: readonly TaskEvent[] = store.events();
      const sessions = [anthropicSession(tracker), chatSession(tracker), responsesSession(tracker)];
      export { atOnce, id, text, result, update, get, list, ok, answer, filter, events, sessions };`;
    expect(compile(dir, program, { ...MODULES.NodeNext, ...STRICT })).toBe("");
  });

  test("compile beside the packages of the user", () => {
    for (const name of Object.values(PEERS).flat()) linkPackage(dir, name);
    const used = Object.keys(PEERS);
    expect(compile(dir, importAll(used), { ...MODULES.Bundler, ...STRICT })).toBe("");
  });
});

describe("the reference in docs/api", () => {
  test("describes every export, and the parameters and result of every function", () => {
    const missing = all.flatMap(({ name, file }) =>
      exportsOf(file, complete(file)).flatMap((one) => {
        const { text, tags } = tagsOf(one.comment);
        const isFunction = one.type === "TSDeclareFunction" && name !== "waymark/internal";
        const described = tags.flatMap(({ tag, text: printed }) =>
          tag === "param" ? printed.split(/\s/, 1) : tag === "returns" ? "returns" : [],
        );
        // A destructured parameter has no name.
        const wanted = isFunction ? [...one.parameters.filter(Boolean), "returns"] : [];
        const gaps = wanted.filter((part) => !described.includes(part ?? ""));
        return text === ""
          ? [`${name}: ${one.name}`]
          : gaps.map((gap) => `${name}: ${one.name}: ${gap}`);
      }),
    );
    expect(missing).toEqual([]);
  });

  test("is what `npm run docs` writes", () => {
    const pages = referencePages(all.map((one) => ({ ...one, text: complete(one.file) })));
    const kept = readdirSync("docs/api").map((name) => [
      name,
      readFileSync(join("docs/api", name), "utf8"),
    ]);
    expect(Object.fromEntries(kept), "run: npm run docs").toEqual(pages);
  });
});

describe("the snippets of the docs", () => {
  const inPages = GUIDES.flatMap((file) => snippetsIn(file, textOf(file)));

  test("compile under strict", ({ skip }) => {
    skip(NO_SDKS !== "", NO_SDKS);
    for (const name of SNIPPET_PACKAGES) linkPackage(dir, name);
    const examples = all.flatMap(({ name, file }) => examplesIn(name, complete(file)));
    const snippets = [...inPages.filter(({ isHeavy }) => !isHeavy), ...examples];
    expect(snippets.length).toBeGreaterThan(15);
    const programs = Object.fromEntries(
      snippets.map(({ name, program }) => [`${name.replace(/\W+/g, "-")}.ts`, program]),
    );
    const options = {
      ...MODULES.NodeNext,
      strict: true,
      skipLibCheck: true,
      lib: ["esnext", "dom"],
    };
    expect(compile(dir, programs, options)).toBe("");
  });

  test("are left to `npm run test:sdk` only where a heavy package is needed", () => {
    const heavy = inPages.filter(({ isHeavy }) => isHeavy);
    expect(heavy.map(({ name }) => name.replace(/^.*\/([\w-]+)\.md.*$/, "$1"))).toEqual([
      "claude-agent-sdk",
      "google",
      "langchain",
      "langchain",
      "mastra",
      "openai-agents",
      "openai-agents",
      "openai-agents",
    ]);
  });
});
