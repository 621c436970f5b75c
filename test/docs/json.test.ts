import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { walkCommands } from "../../src/cli/commands/index.ts";
import { misfits, shapesOf } from "./json-shapes.ts";
import { type DocsMachine, newDocsMachine, type Ran } from "./machine.ts";
import { textOf } from "./pages.ts";

const PAGE = "docs/reference/json.md";
const shapes = shapesOf(PAGE);

/** Commands in their order, with the type of what they print. Those without a type prepare the others. */
const SCRIPT: readonly [command: string, type?: string][] = [
  ["waymark ls --all --json", "Session[]"],
  ["waymark todos --session c1a0 --json", "List"],
  ["waymark show c1a0 --json", "SessionDetail"],
  ["waymark show 019f --json", "SessionDetail"],
  ["waymark show checkout --json", "SessionDetail"],
  ["waymark history --session c1a0 --json", "Change or Remark[]"],
  ["waymark report --last 24h --json", "Report"],
  ["waymark report --session checkout --json", "Report"],
  ["waymark cost --json", "CostBreakdown"],
  ["waymark cost --session c1a0 --json", "CostBreakdown"],
  ["waymark cost --by day --json", "CostBreakdown"],
  ["waymark plan show checkout --json", "PlanOutput"],
  ["waymark plan comment 'Ask first' checkout --step 2 --json", "ListResult"],
  ["waymark plan approve checkout --comment Go --json", "ListResult"],
  ["waymark plan show checkout --json", "PlanOutput"],
  ["waymark todo add A B --phase P --session q --json", "ListResult"],
  ["waymark todo start A --session q --json", "ListResult"],
  ["waymark todo note A 'Mind it' --session q --json", "ListResult"],
  ["waymark todo block B --session q --json", "ListResult"],
  ["waymark todo done A --evidence 'npm test' --session q --json", "ListResult"],
  ["waymark todo start nothing --session q --json", "ListResult"],
  ["waymark todos --session q --json", "List"],
  ["waymark history --session q --json", "Change[]"],
  ["waymark todo unblock B --session q"],
  ["waymark todo promote B --session q --json", "Promoted"],
  ["waymark task add X --priority 1 --label l --description d --check test --json", "Task"],
  ["waymark task add Y --blocked-by t2 --json", "Task"],
  ['printf \'{"subject":"Z"}\\n\' | waymark task add - --json', "Added"],
  ["waymark task claim t2 --as ann --json", "Task"],
  ["waymark task claim t2 --as bob --json", "Refusal"],
  ["waymark task claim t3 --as bob --json", "Refusal"],
  ["waymark task done t2 --as ann --epoch 9 --json", "Refusal"],
  ["waymark task block t2 t3 --json", "Refusal"],
  ["waymark task claim --count 2 --as cy --json", "Task[]"],
  ["waymark task list --all --json", "Task[]"],
  ["waymark task ready --json", "Task[]"],
  ["waymark task show t3 --json", "TaskDetail"],
  ["waymark task dep t3 --json", "Dependencies"],
  ["waymark task graph --json", "Graph"],
  ["waymark task history --json", "TaskEvent[]"],
  ["printf -- '- [ ] a\\n' | waymark task import - --from markdown --json", "Imported"],
  [
    "mkdir -p fx/tasks && printf -- '---\\nid: task-1\\ntitle: F\\n---\\n' > 'fx/tasks/task-1 - F.md'",
  ],
  ["waymark task files fx --json", "SyncReport"],
  ["waymark task edit t9 --subject G && sed -i 's/title: F/title: H/' fx/tasks/*"],
  ["printf -- 'x' > fx/tasks/task-2.md; waymark task files fx --json", "SyncReport"],
  ["waymark check add 'echo ok' --name test"],
  ["waymark check list --json", "CheckEntry[]"],
  ["waymark verify q --json", "Verified"],
  ["waymark check run --json", "Verified"],
  ["waymark check list --json", "CheckEntry[]"],
  ["waymark doctor --json", "Doctor"],
  ["waymark setup --json", "SetupList"],
  ["waymark setup codex --yes --json", "SetupResult"],
  ["waymark setup --json", "SetupList"],
  ["waymark tool --list --json", "ToolDefinition[]"],
  ['echo \'{"start":"9"}\' | waymark tool todos --session q --json', "ToolResult"],
  ["echo '{}' | waymark tool todos --session q --json", "ToolResult"],
  ["waymark serve --port 0 --no-open --json", "Served"],
];

/** Shapes that the table of commands spells out. */
const INLINE: Readonly<Record<string, readonly [name: string, type: string][]>> = {
  Promoted: [["promoted", "object[]"]],
  Added: [
    ["added", "number"],
    ["ids", "string[]"],
  ],
  Dependencies: [
    ["id", "string"],
    ["blockedBy", "string[]"],
    ["waitsFor", "string[]"],
    ["blocks", "string[]"],
  ],
  Graph: [
    ["tasks", "object[]"],
    ["edges", "object[]"],
  ],
  Imported: [
    ["read", "number"],
    ["added", "number"],
    ["known", "number"],
    ["skipped", "object[]"],
  ],
  SetupList: [["agents", "SetupStatus[]"]],
  Served: [
    ["url", "string"],
    ["token", "string"],
    ["pid", "number"],
  ],
};
const all = new Map([
  ...shapes,
  ...Object.entries(INLINE).map(
    ([name, fields]) =>
      [name, fields.map(([field, type]) => ({ name: field, type, isOptional: false }))] as const,
  ),
]);

describe("docs/reference/json.md", () => {
  let machine: DocsMachine | undefined;
  let results: readonly Ran[] = [];
  beforeAll(async () => {
    machine = await newDocsMachine({ hasTeam: true, hasUsage: true });
    results = machine.run(SCRIPT.map(([command]) => `${command} 2>>errors.txt`));
  }, 120_000);
  afterAll(() => machine?.remove());

  const cases = SCRIPT.flatMap(([command, type], n) => (type ? [{ command, type, n }] : []));
  test.each(cases)("$command prints $type", ({ type, n }) => {
    const value: unknown = JSON.parse(results[n]?.output || "null");
    // `A or B[]` is an array of both.
    const [, one, other] = /^(\w+) or (\w+)\[\]$/.exec(type) ?? [];
    const problems =
      one !== undefined && other !== undefined && Array.isArray(value)
        ? value.flatMap((each, at) => misfits(all, `${one} or ${other}`, each, `[${at}]`))
        : misfits(all, type, value);
    expect(problems).toEqual([]);
  });

  test("has every command with --json", async () => {
    const page = textOf(PAGE);
    const table = page.slice(page.indexOf("## Commands"), page.indexOf("## ls"));
    const printing = (await walkCommands()).filter(
      ({ command }) => command && "json" in command.options,
    );
    const missing = printing.filter(({ path }) => {
      const [first = "", action] = path;
      const isNamed = table.includes(`\`${path.join(" ")}`) || table.includes(`, \`${action}\``);
      const isGroup = action !== undefined && table.includes(`\`${first} …\``);
      const isChange = first === "task" && table.includes("other changes");
      return !isNamed && !isGroup && !isChange;
    });
    expect(missing.map(({ path }) => path.join(" "))).toEqual([]);
  });
});
