import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scriptWrites } from "../../src/agents/codex/code-mode.ts";
import { readLiteral } from "../../src/agents/codex/literal.ts";
import { cpuTime } from "../cpu-time.ts";
import { sized } from "../full.ts";

const PLAN = "{plan: [{step: 'A', status: 'pending'}]}";
const CALL = `tools.update_plan(${PLAN})`;
const list = (step = "A") => ({ kind: "list", plan: { plan: [{ step, status: "pending" }] } });
const unknown = { kind: "unknown" };
const doubtful = { kind: "doubtful" };
const refused = { kind: "refused" };

describe("plans in scripts", () => {
  it.each<[string, string, unknown[]]>([
    ["a plain call", `await ${CALL};`, [list()]],
    ["a call whose result is used", `text(await ${CALL})`, [list()]],
    ["several calls", `await ${CALL}; await ${CALL.replace("'A'", "'B'")}`, [list(), list("B")]],
    ["a destructured name", `const { update_plan } = tools; await update_plan(${PLAN})`, [list()]],
    ["an index", `await tools["update_plan"](${PLAN})`, [list()]],
    ["an optional call", `await tools.update_plan?.(${PLAN})`, [list()]],
    ["a trailing comma", `await tools.update_plan(${PLAN},\n)`, [list()]],
    ["awaited with others", `await Promise.all([\n  ${CALL},\n  other(),\n])`, [list()]],
    ["awaited later", `const p = ${CALL};\nawait p;`, [list()]],
    ["a try block", `try { await ${CALL} } catch (error) { text(error) }`, [list()]],
    ["after a block", `if (x) { go() }\nawait ${CALL}`, [list()]],
    [
      "after a regular expression with quotes",
      `const r = /['"(]/.test(s);\nawait ${CALL}`,
      [list()],
    ],
    [
      "after a template with a substitution",
      `text(\`\${a ? "}" : "{"} b\`);\nawait ${CALL}`,
      [list()],
    ],
    ["after a division", `const n = a / b; const m = c / d;\nawait ${CALL}`, [list()]],
    ["only in a comment", `// await ${CALL}\n/* ${CALL} */ text('x')`, []],
    ["only in a string", `text("await ${CALL}")`, []],
    ["never awaited", `${CALL}; text('x')`, [doubtful]],
    ["not awaited on a separate line", `await go()\n${CALL}`, [doubtful]],
    ["under a condition", `if (x) await ${CALL}`, [doubtful]],
    [
      "in one of two branches",
      `if (x) { await ${CALL} } else { await ${CALL} }`,
      [doubtful, doubtful],
    ],
    ["after &&", `x && await ${CALL};`, [doubtful]],
    ["in a conditional expression", `x ? await ${CALL} : 0;`, [doubtful]],
    ["in a loop", `for (const s of t) { await ${CALL} }`, [doubtful]],
    ["in a function", `async function f() { await ${CALL} }\nawait f()`, [doubtful]],
    ["in an arrow function", `const f = async () => { await ${CALL} }; await f()`, [doubtful]],
    ["in a catch", `try { go() } catch { await ${CALL} }`, [doubtful]],
    ["after an exit", `if (x) exit();\nawait ${CALL}`, [doubtful]],
    ["passed on", "const f = tools.update_plan; await f(x)", [doubtful]],
    ["computed", "await tools.update_plan({plan: steps})", [unknown]],
    [
      "partly computed",
      "await tools.update_plan({plan: [{step: a + 'b', status: 'pending'}]})",
      [unknown],
    ],
    [
      "a template with a substitution",
      `await tools.update_plan({plan: [{step: \`\${a}\`, status: 'pending'}]})`,
      [unknown],
    ],
    ["a literal with a property access", "await tools.update_plan({plan: []}.plan)", [unknown]],
    ["spread", "await tools.update_plan({...base, plan: []})", [unknown]],
    ["no arguments", "await tools.update_plan()", [unknown]],
    [
      "an unknown status",
      "await tools.update_plan({plan: [{step: 'A', status: 'done'}]})",
      [refused],
    ],
    ["an extra field", "await tools.update_plan({plan: [], note: 'x'})", [refused]],
    [
      "a step with an extra field",
      "await tools.update_plan({plan: [{step: 'A', status: 'pending', id: 1}]})",
      [refused],
    ],
    ["not an array", "await tools.update_plan({plan: 'A'})", [refused]],
    ["truncated", "await tools.update_plan({plan: [{step: 'A", [unknown]],
  ])("%s", (_, source, writes) => {
    expect(scriptWrites(source)).toEqual(writes);
  });

  it("does not read long scripts", () => {
    expect(scriptWrites(`await ${CALL};${" ".repeat(200_000)}`)).toEqual([unknown]);
    expect(scriptWrites(`await ${CALL};`.repeat(500))).toHaveLength(100);
  });

  it("accepts any source, quickly", () => {
    const piece = fc.constantFrom(
      ..."await |tools.update_plan|(|)|{|}|[|]|'|\"|`|${|//|/*|*/|/|;|\n|\\|=>|if |? |&& |plan: |step|,|:".split(
        "|",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const source = `${pieces.join("")} update_plan`;
        expect(Array.isArray(scriptWrites(source))).toBe(true);
      }),
      { numRuns: sized(600, 5_000) },
    );
    for (const nasty of ["(/[", "{", "`${", "update_plan(", "/*", "update_plan([", "\\'", "=/ "]) {
      const from = cpuTime();
      scriptWrites(`update_plan ${nasty.repeat(60_000)}`.slice(0, 199_000));
      expect(cpuTime() - from, nasty).toBeLessThan(2_000);
    }
  });
});

describe("literals", () => {
  it.each<[string, unknown]>([
    [`{a: 1, 'b': -2.5e3, "c": .5, 4: 0x1F,}`, { a: 1, b: -2500, c: 0.5, 4: 31 }],
    ["[true, false, null, [],]", [true, false, null, []]],
    [`/* x */ 'it\\'s \\x41\\u0042\\u{1F600}\\n' // y`, "it's AB😀\n"],
    ["`two\nlines`", "two\nlines"],
    [`"a\\\nb"`, "ab"],
    ["{gone: undefined, über: 1}", { über: 1 }],
    [`{"__proto__": 1}`, JSON.parse(`{"__proto__": 1}`)],
  ])("reads %s", (source, value) => {
    expect(readLiteral(source, 0)).toEqual({ value, end: source.length });
  });

  it.each([
    "",
    "name",
    "f()",
    "{a}",
    "{[a]: 1}",
    "{a: 1",
    "[1 2]",
    "[,]",
    "'open",
    "'line\nbreak'",
    `\`\${x}\``,
    "`${",
    "'\\u{999999}'",
    "'\\xZ'",
    "new Date()",
    "(1)",
    "!0",
    "[".repeat(40),
    `[${"1,".repeat(30_000)}]`,
  ])("does not read %s", (source) => {
    expect(readLiteral(source, 0)).toBeUndefined();
  });

  it("reads any JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const source = JSON.stringify(value);
        expect(readLiteral(source, 0)).toEqual({ value: JSON.parse(source), end: source.length });
      }),
    );
  });
});
