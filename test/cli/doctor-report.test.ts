import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isKnownName } from "../../src/doctor/known-words.ts";
import { shapeOf } from "../../src/doctor/shape.ts";
import { eachOnItsOwn, home, run } from "./user-machine.ts";

eachOnItsOwn();

const FIXTURES = join(import.meta.dirname, "../fixtures");

/** The records of all agents. */
function records(): readonly unknown[] {
  const paths = readdirSync(FIXTURES, { recursive: true, encoding: "utf8" })
    .map((path) => join(FIXTURES, path))
    .filter((path) => /\.jsonl?$/.test(path) && statSync(path).isFile());
  return paths.flatMap((path) => {
    const text = readFileSync(path, "utf8");
    const parts = path.endsWith(".jsonl") ? text.split("\n").slice(0, 12) : [text];
    return parts.flatMap((part) => {
      try {
        return [JSON.parse(part)];
      } catch {
        return [];
      }
    });
  });
}

const SECRETS = [
  "Annika",
  "annika@example.org",
  "/home/annika/payroll",
  "C:\\Users\\annika",
  "sk-ant-api03-AbCdEf0123456789",
  "Fix the payroll of Zürich",
  "0195c0de-77aa-7000-8f31-5d2b9e4c1a10",
  "payrollExport",
  "secret_plan",
  "__proto__x",
];

/** Plants a secret into every text, and as a name and a text into every object. */
function planted(value: unknown, secret: string): unknown {
  if (typeof value === "string") return `${value} ${secret}`;
  if (Array.isArray(value)) return [...value.map((each) => planted(each, secret)), secret];
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, planted(each, secret)]);
  return Object.fromEntries([...entries, [secret, secret], ["type", secret], ["name", secret]]);
}

describe("the shape of a record", () => {
  test("has names and kinds of known words, and no content", () => {
    const record = {
      type: "tool_use",
      name: "Annika",
      input: { filePath: "/home/annika/plan.md", "/home/annika": true, count: 3, limit: null },
      arguments: '{"todos":[{"content":"Pay Annika"},{"content":"Run"}]}',
    };
    expect(shapeOf(record)).toEqual({
      type: "'tool_use'",
      name: "text of up to 16",
      input: {
        filePath: "text of up to 64",
        "(name 2)": "boolean",
        count: "number",
        limit: "null",
      },
      arguments: {
        "(JSON)": {
          todos: [
            "array of up to 4",
            { content: "text of up to 16" },
            { content: "text of up to 4" },
          ],
        },
      },
    });
    expect(["toolCallStates", "tool.execution_start"].every(isKnownName)).toBe(true);
    expect(["annikaPlan", "sk-ant-0123", "plan 2", "", "__proto__"].some(isKnownName)).toBe(false);
  });

  test("never has a planted name, path, key or text, whatever the record", () => {
    const all = records();
    expect(all.length).toBeGreaterThan(300);
    for (const record of all)
      for (const secret of SECRETS) {
        const shape = JSON.stringify(shapeOf(planted(record, secret)));
        if (shape.includes(secret)) expect.fail(`${secret} in ${shape.slice(0, 500)}`);
      }
  });

  test("never has a text of any value, unless it is a known name", () => {
    const word = fc.string({ minLength: 4, unit: "grapheme" }).filter((text) => !isKnownName(text));
    fc.assert(
      fc.property(fc.dictionary(word, fc.oneof(word, fc.array(word))), (record) => {
        const shape = shapeOf(record);
        const names = typeof shape === "string" ? [] : Object.keys(shape);
        expect(names.every((name) => /^\((?:name \d+|more)\)$/.test(name))).toBe(true);
        expect(JSON.stringify(Object.values(shape))).toMatch(/^(?:[\w ,:"[\](){}])*$/);
      }),
    );
  });

  test("is small, however large the record", () => {
    const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`x${n}`, "y"]));
    expect(JSON.stringify(shapeOf({ wide, long: Array(9_999).fill(wide) })).length).toBeLessThan(
      6_000,
    );
    const deep = JSON.parse(`${"[".repeat(500)}${"]".repeat(500)}`);
    expect(JSON.stringify(shapeOf(deep)).length).toBeLessThan(500);
  });
});

describe("doctor --report", () => {
  const FOLDER = ".codex/sessions/2026/11/15";
  const FILE = `${FOLDER}/rollout-2026-11-15T10-00-00-0195c0de-77aa-7000-8f31-5d2b9e4c1a10.jsonl`;

  function plant(): void {
    const record = (payload: object) =>
      JSON.stringify({ timestamp: "2026-11-15T10:00:00Z", type: "response_item", payload });
    const args = { plan: [{ stepText: "Pay Annika", "annika@example.org": 1 }, { step: "" }] };
    const call = {
      type: "function_call",
      name: "update_plan",
      call_id: "c1",
      arguments: JSON.stringify(args),
    };
    const answer = { type: "function_call_output", call_id: "c1", output: "Plan updated" };
    const meta = { id: "0195c0de-77aa-7000-8f31-5d2b9e4c1a10", cwd: "/home/annika/payroll" };
    home.write(
      FILE,
      [
        JSON.stringify({ type: "session_meta", payload: meta }),
        record(call),
        record(answer),
        "sk-ant-api03-AbCdEf is not JSON",
        "",
      ].join("\n"),
    );
    home.write(".factory/sessions/annika/payroll.jsonl", `${JSON.stringify({ type: "Annika" })}\n`);
  }
  const SECRET = /annika|payroll|sk-ant|0195c0de|Pay /i;

  test("writes a file with counts and shapes, and nothing of the user", () => {
    plant();
    const { status, stdout } = run("doctor", "--report", "-o", join(home.path, "out.json"));
    expect(status).toBe(0);
    expect(stdout).toContain("Read it, then attach it to an issue.");
    const text = readFileSync(join(home.path, "out.json"), "utf8");
    expect(text).not.toMatch(SECRET);
    expect(text).not.toContain(home.path);
    const { agents, waymark } = JSON.parse(text);
    expect(waymark).toEqual({
      version: expect.any(String),
      node: process.versions.node,
      system: expect.any(String),
    });
    expect(agents).toMatchObject([
      {
        id: "codex",
        folders: [
          { place: "~/.codex/sessions", there: true, files: { ".jsonl": 1 } },
          { place: "~/.codex/archived_sessions", there: false },
        ],
        files: 1,
        skipped: { bad_item: 2, bad_line: 1 },
      },
      {
        id: "droid",
        files: 0,
        records: [{ why: "no session", shape: { type: "text of up to 16" } }],
      },
    ]);
    expect(agents[0].records).toContainEqual({
      why: "bad_line",
      count: 1,
      shape: "not JSON, text of up to 64",
    });
  });

  test("prints to standard output with -o -, and hides other places", () => {
    plant();
    const { status, stdout } = run("doctor", "--report", "-o", "-", "--home", home.path);
    expect(status).toBe(0);
    expect(stdout).not.toMatch(SECRET);
    expect(JSON.parse(stdout).format).toBe(1);
  });

  test("refuses what cannot be combined or written", () => {
    expect(run("doctor", "-o", "x.json")).toMatchObject({ status: 2, stdout: "" });
    expect(run("doctor", "--report", "--json").stderr).toContain("cannot be combined");
    const failed = run("doctor", "--report", "-o", join(home.path, "missing/x.json"));
    expect(failed.stderr).toContain("Cannot write");
    expect(failed.status).not.toBe(0);
  });
});
