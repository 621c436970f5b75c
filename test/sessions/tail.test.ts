import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import type { Line } from "../../src/sessions/transcripts/scan/lines.ts";
import {
  isSameFile,
  type Mark,
  markOf,
  readLines,
  START,
  withFile,
} from "../../src/sessions/transcripts/scan/tail.ts";
import { sized } from "../full.ts";

type Tailed = ReturnType<typeof readNew>;

/** Reads the lines after the mark. */
function readNew(path: string, mark: Mark, each: (line: Line) => void) {
  const read = withFile(path, (file) => {
    const same = isSameFile(file, mark);
    const from = same ? mark : START;
    const next = markOf(file, readLines(file, from, each), from);
    // One read may end before the file does.
    return { reset: !same, more: next.size !== file.size, mark: next };
  });
  return read.ok ? { ok: true as const, grown: read.value } : read;
}

const folder = mkdtempSync(join(tmpdir(), "waymark-tail-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Reads a file as a follower does: discards what it knows when the file was replaced. */
function follower(path: string) {
  let mark: Mark = START;
  let known: string[] = [];
  const sweep = (): Tailed => {
    const fresh: string[] = [];
    const tailed = readNew(path, mark, (line) =>
      fresh.push("bytes" in line ? line.bytes.toString("utf8") : `skipped ${line.skipped}`),
    );
    if (!tailed.ok) return tailed;
    mark = tailed.grown.mark;
    known = tailed.grown.reset ? fresh : [...known, ...fresh];
    return tailed;
  };
  return { sweep, known: () => known, mark: () => mark };
}

type Step =
  | { readonly do: "append"; readonly lines: number; readonly partial: boolean }
  | { readonly do: "truncate"; readonly keep: number }
  | { readonly do: "rotate" | "replace" | "finish" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("append" as const),
      lines: fc.nat(4),
      partial: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("truncate" as const), keep: fc.nat(400) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom("rotate" as const, "replace", "finish") }),
  },
);

const SEQUENCES = sized(700, 5_000);

it(`${SEQUENCES} sequences of append, truncate, rotate and replace lose and repeat no line`, {
  tags: ["replaced-file"],
  timeout: 60_000,
}, () => {
  const path = join(folder, "session.jsonl");
  let serial = 0;
  let tick = 1_000_000;
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
      rmSync(path, { force: true });
      let content = "";
      const { sweep, known } = follower(path);
      const lines = (count: number) =>
        Array.from(
          { length: count },
          () => `{"id":${++serial},"text":"line ä ${"x".repeat(serial % 60)}"}\n`,
        ).join("");
      for (const made of steps) {
        if (made.do === "append") {
          const more = lines(made.lines) + (made.partial ? `{"id":${++serial},"half` : "");
          appendFileSync(path, more);
          content += more;
        } else if (made.do === "finish") {
          appendFileSync(path, '"}\n');
          content += '"}\n';
        } else if (made.do === "truncate") {
          const bytes = Buffer.from(content).subarray(0, made.keep);
          writeFileSync(path, content);
          truncateSync(path, bytes.length);
          content = bytes.toString("latin1") === content ? content : bytes.toString("utf8");
          if (Buffer.from(content).length !== bytes.length) {
            content = "";
            truncateSync(path, 0);
          }
        } else {
          if (made.do === "rotate" && content !== "") renameSync(path, `${path}.1`);
          else rmSync(path, { force: true });
          content = lines(2);
          writeFileSync(path, content);
        }
        // Tests are faster than the time resolution of file systems.
        if (content !== "" || made.do !== "append") writeClock(path, ++tick);
        sweep();
        expect(known()).toEqual(content.split("\n").slice(0, -1));
      }
    }),
    { numRuns: SEQUENCES },
  );
});

function writeClock(path: string, tick: number): void {
  try {
    utimesSync(path, tick, tick);
  } catch {
    writeFileSync(path, "");
  }
}

it("reads a partial last line once it is complete", () => {
  const path = join(folder, "partial.jsonl");
  const { sweep, known } = follower(path);
  writeFileSync(path, '{"a":1}\n{"b":');
  sweep();
  expect(known()).toEqual(['{"a":1}']);
  appendFileSync(path, "2}\n");
  sweep();
  expect(known()).toEqual(['{"a":1}', '{"b":2}']);
});

it("detects a line that was edited in place", { tags: ["rewritten-line"] }, () => {
  const path = join(folder, "edited.jsonl");
  const { sweep, known } = follower(path);
  const rows = Array.from({ length: 200 }, (_, index) => `{"row":${1000 + index}}`);
  writeFileSync(path, `${rows.join("\n")}\n`);
  sweep();
  rows[100] = '{"row":0000}';
  writeFileSync(path, `${rows.join("\n")}\n`);
  utimesSync(path, 5, 5);
  sweep();
  expect(known()).toEqual(rows);
});

it("reads only regular files, without blocking", { tags: ["special-file"] }, () => {
  const target = join(folder, "target.jsonl");
  writeFileSync(target, "{}\n");
  const link = join(folder, "link.jsonl");
  symlinkSync(target, link);
  const pipe = join(folder, "pipe.jsonl");
  spawnSync("mkfifo", [pipe]);
  mkdirSync(join(folder, "folder.jsonl"));
  const problem = (name: string) => {
    const tailed = readNew(join(folder, name), START, () => undefined);
    return tailed.ok ? "read" : tailed.problem;
  };
  expect(
    ["link.jsonl", "pipe.jsonl", "folder.jsonl", "none.jsonl", "target.jsonl"].map(problem),
  ).toEqual(["not_a_file", "not_a_file", "not_a_file", "missing", "read"]);
});

it("skips a very long line in steps, in bounded memory, without reading it again", () => {
  const path = join(folder, "long.jsonl");
  const chunk = "x".repeat(1024 * 1024);
  writeFileSync(path, "first\n");
  for (let index = 0; index < 40; index++) appendFileSync(path, chunk);
  const { sweep, known, mark } = follower(path);
  let rounds = 0;
  for (let more = true; more && rounds < 10; rounds++) {
    const tailed = sweep();
    more = tailed.ok && tailed.grown.more;
  }
  expect({ rounds, seen: mark().seen, known: known() }).toEqual({
    rounds: 3,
    seen: 40 * 1024 * 1024,
    known: ["first"],
  });
  appendFileSync(path, "\nafter\n");
  sweep();
  expect(known()).toEqual(["first", `skipped ${40 * 1024 * 1024}`, "after"]);
});
