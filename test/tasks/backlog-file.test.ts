import fc from "fast-check";
import { expect, test } from "vitest";
import {
  changeTaskFile,
  newTaskFile,
  readTaskFile,
  type TaskFile,
} from "../../src/tasks/formats/backlog/document.ts";
import {
  joinSections,
  readSections,
  SECTION_NAMES,
  type Sections,
  sectionText,
  splitSections,
  writeSections,
} from "../../src/tasks/formats/backlog/sections.ts";
import { parseValue, printScalar } from "../../src/tasks/formats/backlog/yaml.ts";
import { CODE_POINT } from "../code-point.ts";

function file(text: string): TaskFile {
  const read = readTaskFile(text);
  if (!read.ok) throw new Error(`line ${read.problem.line} ${read.problem.why}`);
  return read.file;
}

// As Backlog.md 1.52 writes a task.
const WRITTEN = `---
id: TASK-1
title: >-
  A very long title that goes on and on and on, well over eighty characters:
  with colon and more words to be sure
status: In Progress
assignee:
  - '@sara'
created_date: '2026-11-18 20:06'
labels:
  - core
  - >-
    a very long label that goes on and on and on and also well over eighty
    characters in total length yes
  - '"q"'
dependencies: []
priority: high
ordinal: 1000
---

## Description

<!-- SECTION:DESCRIPTION:BEGIN -->
First line

Second: line
<!-- SECTION:DESCRIPTION:END -->

## Acceptance Criteria
<!-- AC:BEGIN -->
- [ ] #1 Works, always
<!-- AC:END -->
`;

// Written by a person: comments, an order of its own, CRLF, a byte order mark, keys of their own.
const BY_HAND = `\ufeff---
# my notes
title:   "Say \\"hi\\""   # keep
labels: [a, 'b, c']
custom: {x: [1, 2]}
id: task-7

status: To Do
---
Some words.

## My own

<!-- private -->
Stuff
`.replaceAll("\n", "\r\n");

test("reads the files of Backlog.md", () => {
  const { front: _, text: __, ...read } = file(WRITTEN);
  expect(read).toEqual({
    id: "TASK-1",
    title:
      "A very long title that goes on and on and on, well over eighty characters: with colon and more words to be sure",
    status: "In Progress",
    assignee: ["@sara"],
    priority: "high",
    labels: [
      "core",
      "a very long label that goes on and on and on and also well over eighty characters in total length yes",
      '"q"',
    ],
    dependencies: [],
    parent: undefined,
    sections: { description: "First line\n\nSecond: line", criteria: "- [ ] #1 Works, always" },
  });
});

test("changes a file that a person wrote in place", () => {
  const before = file(BY_HAND);
  expect(before).toMatchObject({
    title: 'Say "hi"',
    labels: ["a", "b, c"],
    sections: { description: "Some words.\n\n## My own\n\n<!-- private -->\nStuff" },
  });
  expect(changeTaskFile(before, {}, {})).toBe(BY_HAND);
  const after = changeTaskFile(
    before,
    { title: "Bye: all", labels: ["a", "d"], priority: "high" },
    { notes: "Done\nso" },
  );
  expect(after).toBe(
    `${BY_HAND.replace('"Say \\"hi\\""', "'Bye: all'").replace("[a, 'b, c']", "[a, d]").replace("status: To Do\r\n", "status: To Do\r\npriority: high\r\n").replace("labels: [a, d]\r\npriority", "labels: [a, d]\r\npriority").trimEnd()}\r\n\r\n## Implementation Notes\r\n\r\n<!-- SECTION:NOTES:BEGIN -->\r\nDone\r\nso\r\n<!-- SECTION:NOTES:END -->\r\n`,
  );
});

test.each([
  ["no front matter", "words\n", 1],
  ["has front matter without its end", "---\nid: TASK-1\n", 1],
  ["is no `key: value`", "---\nid: TASK-1\nwhat is this\n---\n", 3],
  ["has title twice", "---\nid: TASK-1\ntitle: a\ntitle: b\n---\n", 4],
  ["has a value of title", "---\nid: TASK-1\ntitle: &x y\n---\n", 3],
  ["has a value of labels", "---\nid: TASK-1\ntitle: a\nlabels:\n  - x: y\n---\n", 4],
  ["has no id and title", "---\nid: TASK-1\n---\n", 1],
  ["has an invalid id", "---\ntitle: a\nid: ../x\n---\n", 3],
  [
    "has conflict markers",
    `${WRITTEN}<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n`,
    WRITTEN.split("\n").length,
  ],
])("reports the line of a file that %s", (why, text, line) => {
  const read = readTaskFile(text);
  expect(read).toMatchObject({ ok: false, problem: { line, why: expect.stringContaining(why) } });
});

const words = fc
  .string({ unit: CODE_POINT, maxLength: 40 })
  .map((text) => text.replace(/[\n\r\u0085\u2028\u2029]/g, " "));
const hostile = fc.constantFrom(
  "null",
  "- a",
  "a: b",
  "a #b",
  "#c",
  "'",
  '"',
  "[x]",
  "{}",
  "1e3",
  "~",
  "@a",
  "!t",
  "&a",
  "*b",
  "| x",
  "> y",
  "a:",
  " a ",
  "...",
  "---",
  "2026-01-01",
  "yes",
  "\\",
  "%a",
  "`a",
  "a,b",
  "?",
  "? a",
  "=",
);

test("prints scalars that are read as the same text", () => {
  fc.assert(
    fc.property(fc.oneof(words, hostile), (text) => {
      expect(parseValue(printScalar(text), [])).toBe(text);
      expect(parseValue(`[${printScalar(text)}, ${printScalar(text)}]`, [])).toEqual(
        text === "" ? [] : [text, text],
      );
      expect(parseValue("", [`  - ${printScalar(text)}`])).toEqual(text === "" ? [] : [text]);
    }),
  );
});

const line = fc.oneof(
  words,
  fc.constantFrom(
    "## Description",
    "## Acceptance Criteria",
    "## implementation notes",
    "## Other",
    "<!-- SECTION:DESCRIPTION:END -->",
    "<!-- AC:BEGIN -->",
    "<!-- x -->",
    "```",
    "<<<<<<< HEAD",
    "=======",
    ">>>>>>> x",
    "",
    "  ",
    "---",
    "- [ ] #1 a",
  ),
);
const text = fc.array(line, { maxLength: 8 }).map((lines) => lines.join("\n"));
const sections: fc.Arbitrary<Sections> = fc
  .dictionary(fc.constantFrom(...SECTION_NAMES), text.map(sectionText), { maxKeys: 5 })
  .map((all) => Object.fromEntries(Object.entries(all).filter(([, each]) => each !== "")));

test("joins sections to a text that splits into the same sections", () => {
  fc.assert(
    fc.property(sections, text, (some, any) => {
      expect(splitSections(joinSections(some) ?? "")).toEqual(some);
      const once = splitSections(any);
      expect(splitSections(joinSections(once) ?? "")).toEqual(once);
    }),
  );
});

test("writes sections into any body and reads them back", () => {
  const bodies = fc
    .tuple(text, fc.constantFrom("\n", "\r\n"))
    .map(([body, eol]) => [body.replaceAll("\n", eol), eol] as const);
  fc.assert(
    fc.property(bodies, sections, ([body, eol], wanted) => {
      const all = Object.fromEntries(SECTION_NAMES.map((name) => [name, wanted[name] ?? ""]));
      const written = writeSections(body, all, eol);
      expect(readSections(written)).toEqual(wanted);
      expect(writeSections(written, all, eol)).toBe(written);
      expect(writeSections(body, readSections(body), eol)).toBe(body);
    }),
  );
});

test("changes fields of any readable file and nothing else", () => {
  const title = words.map((each) => each.trim()).filter((each) => each !== "");
  fc.assert(
    fc.property(
      title,
      fc.array(title, { maxLength: 4 }),
      sections,
      fc.constantFrom(WRITTEN, BY_HAND),
      (name, labels, some, base) => {
        const before = file(base);
        const after = file(changeTaskFile(before, { title: name, labels }, some));
        expect(after).toMatchObject({
          ...before,
          text: after.text,
          front: after.front,
          title: name,
          labels,
          sections: { ...before.sections, ...some },
        });
        const back = changeTaskFile(
          after,
          { title: before.title, labels: before.labels },
          before.sections,
        );
        expect(file(back)).toMatchObject({ title: before.title, labels: before.labels });
        expect(file(newTaskFile({ id: "TASK-1", title: name, labels }, some))).toMatchObject({
          title: name,
          labels,
          sections: some,
        });
      },
    ),
  );
});

test("never throws, whatever a file contains", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        text,
        text.map((each) => `---\nid: T-1\ntitle: x\n${each}\n---\n${each}`),
      ),
      (any) => void readTaskFile(any),
    ),
  );
});
