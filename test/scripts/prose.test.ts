import { describe, expect, test } from "vitest";
import { findingsIn, isChecked, sentencesIn } from "../../scripts/prose.mjs";

const phrasesIn = (path: string, source: string) =>
  findingsIn(path, source).map(({ line, phrase }) => `${line} ${phrase}`);

describe("the prose check", () => {
  test("reads comments, also over several lines", () => {
    const source = [
      "/** Whoever",
      " * comes back is told of what was missed. */",
      "export const a = 1;",
      "// The list that",
      "// nobody reads.",
      "const b = 2; // let go of it",
    ].join("\n");
    expect(phrasesIn("src/a.ts", source)).toEqual([
      "1 Whoever",
      "1 Whoever comes",
      "1 Whoever",
      "1 told of",
      "1 is told",
      "4 nobody",
      "6 let go",
    ]);
  });

  test("reads strings and templates of sources, and JSX text", () => {
    const source = [
      "export const a = 'The list is read anew.';",
      `export const b = (n) => \`The \${n} nobody asked for\`;`,
      "export const c = <p>Nobody reads this here.</p>;",
    ].join("\n");
    expect(phrasesIn("src/a.tsx", source)).toEqual(["1 anew", "2 nobody", "3 Nobody", "3 Nobody"]);
  });

  test("reads titles of tests, but not their other strings", () => {
    const source = [
      'test("T4 who reads gets it", () => {',
      '  expect(text).toBe("Nobody is told of this.");',
      "});",
      'describe.each(["nobody reads it"])("opens anew %s", () => {});',
    ].join("\n");
    expect(phrasesIn("test/a.test.ts", source)).toEqual(["1 who reads", "1 T4 ", "4 anew"]);
  });

  test("reads Markdown without code, headings and addresses", () => {
    const source = [
      "# What is new",
      "Run `nobody reads it` first,",
      "then nobody waits.",
      "```sh",
      "echo nobody reads it",
      "```",
      "| option | the person who asks |",
      "[the docs](https://example.org/nobody/reads/it)",
    ].join("\n");
    expect(phrasesIn("docs/a.md", source)).toEqual(["2 nobody", "7 who asks", "7 the person"]);
  });

  test("reads comments of CSS, SQL and shell", () => {
    expect(phrasesIn("src/a.css", "/* What is drawn last */\na { color: red }")).toEqual([
      "1 What",
    ]);
    expect(phrasesIn("src/a.sql", "select 1;\n-- What nobody reads")).toEqual([
      "2 What",
      "2 nobody",
    ]);
    expect(phrasesIn("bin/waymark-hook", "#!/bin/sh\n# told of an event")).toEqual(["2 told of"]);
  });

  test("accepts questions, conditions and plain wording", () => {
    const source = [
      "// What if the file is missing? Where the store is read-only, nothing is written.",
      "// There is no limit. The claim is no longer valid. The server continues on the next port.",
    ].join("\n");
    expect(phrasesIn("src/a.ts", source)).toEqual([]);
  });

  test("splits sentences, not abbreviations", () => {
    expect(sentencesIn("Reads it, e.g. from a file. Then prints it all.")).toEqual([
      "Reads it, e.g. from a file.",
      "Then prints it all.",
    ]);
  });

  test("leaves recorded and generated files alone", () => {
    const paths = ["test/fixtures/a.md", "docs/api/waymark.md", "src/a.ts", "README.md", "a.png"];
    expect(paths.filter(isChecked)).toEqual(["src/a.ts", "README.md"]);
  });
});
