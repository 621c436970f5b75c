import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { readClaudeTasks } from "../../src/agents/claude-code/task-files.ts";
import { openReader } from "../../src/agents/common/reader.ts";
import { DECODERS } from "../../src/agents/index.ts";
import { memoryStore, type Tracker } from "../../src/index.ts";
import { runHook } from "../../src/servers/hooks/run.ts";
import { readBeads } from "../../src/tasks/formats/beads.ts";
import { readTaskExport, readTaskLines } from "../../src/tasks/formats/jsonl.ts";
import { readTaskMaster } from "../../src/tasks/formats/task-master.ts";
import { memoryTaskStore } from "../../src/tasks/memory.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { runTool } from "../../src/tools/run.ts";
import { trackerOn } from "../../src/tracker.ts";
import { FULL } from "../full.ts";
import { type Chance, chanceFrom } from "./power-cut.ts";
import { quickPlace } from "./quick-place.ts";

const BODIES = FULL ? 20_000 : 1_000;
const FIXTURES = fileURLToPath(new URL("../fixtures/", import.meta.url));

/** As JSON text: an object literal cannot have such an own key. */
const POISONS = [
  '"__proto__":{"polluted":true,"status":"completed"}',
  '"__proto__":{"__proto__":{"polluted":true}}',
  '"__proto__":null',
  '"constructor":{"prototype":{"polluted":true}}',
  '"prototype":{"polluted":true}',
  '"toString":"polluted","hasOwnProperty":1',
  '"__defineGetter__":"polluted"',
] as const;

/** Property names of every object. */
const WORDS = ["constructor", "__proto__", "toString", "valueOf", "hasOwnProperty"] as const;

/** The same JSON with such keys in some of its objects, and such words for some of its values. */
function poisoned(json: string, chance: Chance): string {
  const poison = () => POISONS[chance.below(POISONS.length)] ?? POISONS[0];
  const worded = json.replace(/":"[^"\\]{1,40}"/g, (value) =>
    chance.below(3) === 0 ? `":"${WORDS[chance.below(WORDS.length)]}"` : value,
  );
  return withKeys(worded, poison, chance);
}

function withKeys(json: string, poison: () => string, chance: Chance): string {
  return json.replace(/\{(?=["}])/g, (open, place: number) =>
    place === 0 || chance.below(3) === 0
      ? `{${poison()}${json[place + 1] === "}" ? "" : ","}`
      : open,
  );
}

/** Reverts any damage, so that one failure stays one. */
function pollution(): readonly string[] {
  const found = [Object.prototype, Array.prototype, Function.prototype].flatMap((prototype) =>
    Object.keys(prototype).map((key) => {
      Reflect.deleteProperty(prototype, key);
      return key;
    }),
  );
  const plain: Record<string, unknown> = {};
  return plain.polluted === undefined ? found : [...found, "polluted"];
}

const LINES: readonly string[] = readdirSync(FIXTURES, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".jsonl"))
  .flatMap((name) => readFileSync(join(FIXTURES, name), "utf8").split("\n"))
  .filter((line) => line.startsWith("{") && line.length < 20_000);

const EVENT = {
  session_id: "s",
  cwd: "/",
  tool_name: "TodoWrite",
  tool_use_id: "c",
  tool_input: { todos: [{ content: "One", status: "pending", activeForm: "Doing" }] },
  tool_response: { stdout: "x" },
};
const TASK = {
  subject: "One",
  id: "a",
  title: "One",
  status: "open",
  labels: ["x"],
  metadata: { deep: { er: {} } },
  dependencies: [],
  tasks: [{ id: 1, title: "One", subtasks: [] }],
};

describe("keys of the object prototype", () => {
  test(`${BODIES} bodies through tools, hooks, decoders and task formats change nothing`, {
    tags: ["prototype-key"],
  }, async () => {
    const chance = chanceFrom(3);
    const home = quickPlace();
    const tracker = trackerOn(memoryStore()) as unknown as Tracker;
    const tasks = memoryTaskStore();
    onTestFinished(() => tasks.close());
    const list = tracker.list({ session: "s", agent: "main" });
    const task = () => poisoned(JSON.stringify(TASK), chance);
    const doors: readonly (() => unknown)[] = [
      ...TOOLS.map((tool) => () => {
        const example = tool.examples[chance.below(tool.examples.length)];
        const json = poisoned(JSON.stringify(example), chance);
        return runTool(tool, chance.below(2) ? json : JSON.parse(json), list);
      }),
      ...DECODERS.map((dialect) => () => {
        const reader = openReader(dialect, { kind: "file", session: "s" }, { now: () => 0 });
        for (let n = 1; n < 6; n++)
          reader.line(poisoned(LINES[chance.below(LINES.length)] ?? "{}", chance), n);
        return reader.end();
      }),
      () =>
        runHook({
          agent: "claude",
          event: ["PostToolUse", "constructor", "__proto__", "toString"][chance.below(4)] ?? "Stop",
          json: poisoned(JSON.stringify(EVENT), chance),
          native: true,
          home,
          env: {},
          tracker: async () => tracker,
          onProblem() {},
        }),
      () => readTaskLines(task()),
      () => readTaskExport(task(), "x"),
      () => readBeads(task()),
      () => readTaskMaster(task(), "x"),
      () => readClaudeTasks([{ path: "1.json", content: task() }], "x"),
      async () => {
        const metadata = JSON.parse(poisoned('{"a":{"b":{}}}', chance));
        const sender = { by: "agent", via: "test" } as const;
        await tasks.apply({ op: "add", tasks: [{ subject: "x", metadata }] }, sender);
        return tasks.list({});
      },
    ];
    for (let n = 0; n < BODIES; n++) {
      const entry = doors[n % doors.length];
      // Values that are not plain data, such as an inherited function, cannot be cloned.
      await (async () => structuredClone(await entry?.()))().catch((error: unknown) => {
        throw new Error(`door ${n % doors.length}: ${error}`, { cause: error });
      });
      expect({ n, found: pollution() }).toStrictEqual({ n, found: [] });
    }
    const todos = (await list.read()).todos;
    expect(todos.length).toBeGreaterThan(0);
    expect(todos.filter((todo) => "polluted" in todo)).toStrictEqual([]);
  });
});
