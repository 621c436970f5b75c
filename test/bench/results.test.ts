import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const bench = new URL("../../bench/", import.meta.url);
const { chartsOf, resultsText } = await import(new URL("results.mjs", bench).href);
const { table, takeRecorded, title, note } = await import(new URL("measure.mjs", bench).href);

const CREATES = [
  { tool: "waymark, MCP", "told ok": 200, "told no": 0, kept: 200, lost: 0 },
  {
    tool: "other <1>, MCP",
    "told ok": 100,
    "told no": 100,
    kept: 50,
    lost: 50,
    remark: "could not be read: why",
  },
  { tool: "third", "told ok": "not installed: npm run bench:peers" },
];
const QUEUES = [
  { what: "claim and finish", rate: "2000 /s", ratio: "" },
  { what: "  to a queue", rate: "2000 /s", ratio: "1.50 x" },
];
const LOAD = { before: "0.1", after: "0.2" };
const FOUND = {
  date: "2026-11-16",
  node: "v20.20.2",
  processor: "2 x P",
  load: LOAD,
  minutes: 3,
  remarks: ["Certificates are read."],
};
const SECTIONS = [
  {
    name: "peers",
    load: LOAD,
    shown: [{ title: "200 at once" }, { rows: CREATES }, { note: "So it is." }],
  },
  { name: "tasks", load: LOAD, failure: "no server", shown: [{ rows: QUEUES }] },
];

const textsOf = (svg: string) =>
  [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
const barsOf = (svg: string) =>
  [...svg.matchAll(/<rect x="\d+" y="\d+" width="(\d+)"[^>]*fill="([^"]*)"/g)].map(
    ([, width, fill]) => [Number(width), fill],
  );

test("draws a chart of the measured values and prints text for missing ones", () => {
  const [creates, queues, ...more] = chartsOf(SECTIONS);
  expect(more).toEqual([]);
  expect([creates.file, queues.file]).toEqual(["bench-creates.svg", "bench-queues.svg"]);
  expect(textsOf(creates.svg)).toEqual([
    "200 tasks added by 8 agents at once",
    "Acknowledged tasks that a new reader finds",
    "waymark, MCP",
    "200 of 200",
    "other &lt;1&gt;, MCP",
    "50 of 100, could not be read",
    "third",
    "not installed: npm run bench:peers",
  ]);
  expect(barsOf(creates.svg)).toEqual([
    [360, "#3a3f4a"],
    [360, "#98c379"],
    [180, "#3a3f4a"],
    [90, "#61afef"],
  ]);
  expect(creates.svg).toContain(
    '<desc id="told">Acknowledged tasks that a new reader finds: waymark, MCP 200 of 200, other &lt;1&gt;, MCP 50 of 100, could not be read, third not installed: npm run bench:peers.</desc>',
  );
  expect(barsOf(queues.svg)).toEqual([[360, "#98c379"]]);
  expect(queues.svg).toContain('<line x1="510" x2="510"');
});

test("writes the machine, every table and the failures to the page", () => {
  const [, queues] = chartsOf(SECTIONS);
  expect(resultsText({ ...FOUND, sections: SECTIONS }, [queues])).toBe(`# Results

Written by \`npm run bench -- --save\`; the files beside this one show what is measured and how.

2026-11-16, Node v20.20.2, 2 x P, load 0.1 before and 0.2 after, 3 min. Ratios come from one run and can be compared; times belong to this machine.

Certificates are read.

![Claim and finish on PostgreSQL. Waymark's rate, as a multiple of the queue's: to a queue 1.50 x.](../docs/pictures/bench-queues.svg)

## peers

Load 0.1 before, 0.2 after.

### 200 at once

| tool           | told ok                            | told no | kept | lost | remark                 |
|----------------|------------------------------------|---------|------|------|------------------------|
| waymark, MCP   | 200                                | 0       | 200  | 0    |                        |
| other <1>, MCP | 100                                | 100     | 50   | 50   | could not be read: why |
| third          | not installed: npm run bench:peers |         |      |      |                        |

So it is.

## tasks

Load 0.1 before, 0.2 after.

| what             | rate    | ratio  |
|------------------|---------|--------|
| claim and finish | 2000 /s |        |
|   to a queue     | 2000 /s | 1.50 x |

It did not come to its end: no server
`);
});

test("records each printed table once, in order", () => {
  title("One");
  table(QUEUES);
  note("Two");
  expect(takeRecorded()).toEqual([{ title: "One" }, { rows: QUEUES }, { note: "Two" }]);
  expect(takeRecorded()).toEqual([]);
});

test("refuses to save a partial run or a run without the peers", () => {
  const run = (args: string[]) => {
    const env = { ...process.env, WAYMARK_CACHE: fileURLToPath(new URL("none/", bench)) };
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [fileURLToPath(new URL("run.mjs", bench)), ...args],
      { env, encoding: "utf8" },
    );
    return { status, stdout, stderr };
  };
  expect(run(["core", "--save"])).toEqual({
    status: 2,
    stdout: "",
    stderr: "--save runs every benchmark. Omit the names, or omit --save.\n",
  });
  expect(run(["--save"])).toEqual({
    status: 2,
    stdout: "",
    stderr: "--save needs the peers, which are not installed: npm run bench:peers.\n",
  });
});
