import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { COST_GROUPS } from "../../src/core/cost/breakdown.ts";
import { claudeSession } from "./claude-session.ts";
import { A, as, B, eachOnItsOwn, home, ls, MINUTE, machine, writeSession } from "./user-machine.ts";

const START = Date.parse("2026-11-17T13:40:00Z");
const SONNET = "claude-sonnet-4-5-20250929";

const tokens = (input: number, output: number, read = 0, write = 0) => ({
  input_tokens: input,
  output_tokens: output,
  cache_read_input_tokens: read,
  cache_creation_input_tokens: write,
});

interface Counts {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
  readonly requests: number;
  readonly cost: number | null;
  readonly unpriced: number;
  readonly currency: string;
}
interface Output {
  readonly by: string;
  readonly total: Counts;
  readonly rows: readonly (Record<string, unknown> & { readonly usage: Counts })[];
  readonly unattributed: Counts;
}

const waymark = (args: readonly string[], env: Record<string, string> = {}) =>
  machine.run(args, { env: { ...as(home), TZ: "UTC", NO_COLOR: "1", ...env } });
const costs = (...args: string[]) =>
  JSON.parse(waymark(["cost", "--json", ...args]).stdout) as Output;

eachOnItsOwn();
beforeEach(() => {
  writeSession(
    A,
    claudeSession(A, "/srv/ledger-api")
      .prompt("Make refunds idempotent", START)
      .used(SONNET, tokens(21_000, 5_000, 310_000), START)
      .todos(
        [
          ["List every caller of refund()", "in_progress"],
          ["Add the unique key on (payment_id, idempotency_key)", "pending"],
        ],
        START + MINUTE,
      )
      .used(SONNET, tokens(12_000, 3_100, 180_000), START + 2 * MINUTE)
      .todos(
        [
          ["List every caller of refund()", "completed"],
          ["Add the unique key on (payment_id, idempotency_key)", "in_progress"],
        ],
        START + 20 * MINUTE,
      )
      .used(SONNET, tokens(71_000, 22_000, 1_100_000, 40_000), START + 21 * MINUTE)
      .used("mini-1", tokens(2_000, 100), START + 22 * MINUTE)
      .end(START + 52 * MINUTE)
      .text(),
  );
  writeSession(
    B,
    claudeSession(B, "/srv/docs-site")
      .prompt("Translate the release notes", START - 1_440 * MINUTE)
      .used("mini-1", tokens(300_000, 11_000), START - 1_440 * MINUTE)
      .end(START - 1_430 * MINUTE)
      .text(),
  );
});

describe("waymark cost", () => {
  test.each([
    ["session", []],
    ["todo", ["--session", A]],
    ["todos", ["--by", "todo"]],
    ["agent", ["--by", "agent"]],
    ["project", ["--by", "project"]],
    ["day", ["--by", "day"]],
  ])("prints a table by %s", async (name, args) => {
    const { status, stdout, stderr } = waymark(["cost", ...args]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
    await expect(stdout).toMatchFileSnapshot(`goldens/cost-${name}.txt`);
  });

  test.each([40, 20])("fits %d columns", (columns) => {
    const { stdout } = waymark(["cost", "--session", A], { COLUMNS: `${columns}` });
    expect(stdout.split("\n").filter((line) => line.length > columns)).toEqual([]);
    expect(stdout).toContain("COST");
  });

  test("draws ASCII", () => {
    expect(waymark(["cost"], { WAYMARK_ASCII: "1" }).stdout).toMatch(/^[\n\x20-\x7e]*$/);
  });

  test("rows and unattributed add up to the total, for every group", () => {
    for (const by of COST_GROUPS) {
      const { total, rows, unattributed, ...rest } = costs("--by", by);
      expect(rest.by).toBe(by);
      const parts = [...rows.map(({ usage }) => usage), unattributed];
      for (const name of [
        "input",
        "output",
        "cacheRead",
        "cacheWrite",
        "requests",
        "unpriced",
      ] as const)
        expect(parts.reduce((sum, usage) => sum + usage[name], 0)).toBe(total[name]);
      const nanos = (usage: Counts) => Math.round((usage.cost ?? 0) * 1e9);
      expect(parts.reduce((sum, usage) => sum + nanos(usage), 0)).toBe(nanos(total));
    }
  });

  test("prints usage by todo as JSON", () => {
    const { rows, unattributed, total } = costs("--session", A);
    expect(rows).toEqual([
      {
        session: A,
        todo: "1",
        text: "List every caller of refund()",
        agentType: "claude-code",
        usage: {
          input: 12_000,
          output: 3_100,
          cacheRead: 180_000,
          cacheWrite: 0,
          reasoning: 0,
          requests: 1,
          cost: 0.1365,
          unpriced: 0,
          currency: "USD",
        },
      },
      expect.objectContaining({ todo: "2", usage: expect.objectContaining({ requests: 2 }) }),
    ]);
    expect(rows[1]?.usage.unpriced).toBe(2_100);
    expect(unattributed).toMatchObject({ requests: 1, cost: 0.231, unpriced: 0 });
    expect(total).toMatchObject({ requests: 4, unpriced: 2_100, currency: "USD" });
  });

  test("has no cost where no price is known", () => {
    const [row] = costs("--session", B, "--by", "session").rows;
    expect(row?.usage).toMatchObject({ cost: null, unpriced: 311_000 });
  });

  test("counts from a time on", () => {
    expect(costs("--since", "2026-11-17").total.requests).toBe(4);
    expect(costs("--since", "2026-11-17T13:45:00Z").total.requests).toBe(2);
    expect(costs("--since", "2026-11-17T13:44:59Z").total.requests).toBe(4);
    const { stdout } = waymark(["cost", "--since", "1s"]);
    expect(stdout).toMatch(/^No usage recorded since \d\d:\d\d\.\n$/);
  });

  test("finds a session by the beginning of its id, and refuses unknown ids", () => {
    expect(costs("--session", "aaaa").total.requests).toBe(4);
    expect(waymark(["cost", "--session", "none"])).toMatchObject({ status: 1, stdout: "" });
    expect(waymark(["cost", "--by", "todos"])).toMatchObject({
      status: 2,
      stderr:
        'waymark: Invalid --by "todos". Did you mean todo? Use one of: todo, session, agent, project, day.\n',
    });
    expect(waymark(["cost", "--since", "soon"])).toMatchObject({ status: 2, stdout: "" });
  });

  test("escapes names of models", () => {
    writeSession(
      B,
      claudeSession(B, "/p").prompt("Go", START).used("m\u001b[31m\n", tokens(1, 1), START).text(),
    );
    const { stdout } = waymark(["cost"]);
    expect(stdout).not.toContain("\u001b");
    expect(stdout).toContain("m␛[31m");
  });
});

describe("WAYMARK_PRICES", () => {
  const withPrices = (text: string, ...args: string[]) => {
    const file = join(machine.cwd, "prices.json");
    writeFileSync(file, text);
    return waymark(args, { WAYMARK_PRICES: file });
  };

  test("adds prices and replaces built-in ones", () => {
    const { stdout } = withPrices(
      '{ "mini-1": { "input": 1, "output": 2 }, "claude-sonnet-4-5": { "input": 0, "output": 1 } }',
      ...["cost", "--session", A, "--by", "session", "--json"],
    );
    // 30,100 output tokens of one model, 2,000 and 100 of the other; its cache has no price.
    expect((JSON.parse(stdout) as Output).total).toMatchObject({
      cost: 0.0323,
      unpriced: 1_630_000,
    });
  });

  test("counts in the report", () => {
    const { stdout } = withPrices(
      '{ "mini-1": { "input": 1, "output": 2 } }',
      ...["report", "--since", "2026-11-16T00:00:00Z", "--session", B, "--json"],
    );
    expect(JSON.parse(stdout)).toMatchObject({ cost: { cost: 0.322 }, unpricedModels: [] });
  });

  test("names the line and the key of a mistake", () => {
    const { status, stdout, stderr } = withPrices('{\n  "mini-1": { "inptu": 1 }\n}', "cost");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(
      /^waymark: Invalid prices in .*prices\.json, line 2 \(WAYMARK_PRICES\): Unknown key "inptu" of "mini-1"\. Did you mean "input"\?/,
    );
  });

  test("fails if the file cannot be read", () => {
    const { status, stderr } = waymark(["cost"], { WAYMARK_PRICES: "/nowhere/prices.json" });
    expect(status).toBe(3);
    expect(stderr).toContain("/nowhere/prices.json (WAYMARK_PRICES) could not be read");
  });
});

describe("other commands", () => {
  test("ls has a column and JSON", () => {
    // Wide enough for the whole title, whatever the age of the session.
    const { stdout } = waymark(["ls"], { COLUMNS: "120" });
    expect(stdout.split("\n")[0]).toMatch(/ DONE +COST +STATE$/);
    expect(stdout).toMatch(/Make refunds idempotent +1\/2 +≈\$1\.39\+ /);
    expect(stdout).toMatch(/Translate the release notes +- +311k tok /);
    const [session] = ls().filter((row) => row.session === A);
    const { usage } = costs("--session", A, "--by", "session").rows[0] ?? {};
    expect(session).toMatchObject({ usage, usageWithSubagents: usage });
  });

  test("ls has no column without usage", () => {
    for (const id of [A, B])
      writeSession(id, claudeSession(id, "/p").prompt("Go", START).end(START).text());
    expect(waymark(["ls"]).stdout).not.toContain("COST");
    expect(waymark(["cost"]).stdout).toBe("No usage recorded.\n");
    expect(waymark(["show", A]).stdout).not.toMatch(/^cost/m);
  });

  test("show prints the cost of the session and of each todo", () => {
    const { stdout } = waymark(["show", A]);
    expect(stdout).toMatch(
      /^cost +≈\$1\.\d\d\+, 1\.8M tokens in 4 requests, 2\.1k without a known price$/m,
    );
    expect(stdout).toContain("\n   cost: ≈$0.14, 195k tokens in 1 request\n");
    const shown = JSON.parse(waymark(["show", A, "--json"]).stdout) as Record<string, unknown>;
    const { rows, unattributed } = costs("--session", A);
    expect(shown).toMatchObject({
      usageByTodo: rows.map(({ todo, text, usage }) => ({ todo, text, usage })),
      usageUnattributed: unattributed,
    });
  });

  test("statusline shows the cost that the agent passes", () => {
    // The part of the input of Claude Code 2.1.325 that is read.
    const passed = (cost: unknown) =>
      JSON.stringify({ session_id: A, cwd: "/p", cost: { total_cost_usd: cost } });
    const line = (input: string, ...args: string[]) =>
      machine.run(["statusline", ...args], { input, env: { NO_COLOR: "1" } }).stdout;
    expect(line(passed(0.011200000000000003), "--cost")).toBe("▌ no todos yet $0.01\n");
    expect(line(passed(2.31), "--cost")).toBe("▌ no todos yet $2.31\n");
    expect(line(passed(2.31))).toBe("▌ no todos yet\n");
    expect(line(passed("much"), "--cost")).toBe("▌ no todos yet\n");
    expect(line(passed(-1), "--cost")).toBe("▌ no todos yet\n");
    machine.tool("todos", { todos: [{ text: "Read" }] }, "--session", A);
    expect(line(passed(2.31), "--cost", "--ascii")).toBe("| [.] 0/1 $2.31 next Read\n");
  });
});
