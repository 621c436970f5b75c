import { describe, expect, it } from "vitest";
import { type Draft, parseMarkdown, printMarkdown } from "../../src/index.ts";
import { lines, newList, prepare } from "../tools/call.ts";

const pending = (text: string, rest: Partial<Draft> = {}): Draft => ({
  text,
  status: "pending",
  ...rest,
});

function roundTrip(drafts: readonly Draft[]) {
  return parseMarkdown(printMarkdown(drafts));
}

describe("Markdown checklists", () => {
  it("have no headings without phases", () => {
    expect(printMarkdown([pending("Cut"), pending("Sew")])).toBe("- [ ] Cut\n- [ ] Sew\n");
    expect(printMarkdown([])).toBe("");
  });

  it.each<[string, Draft]>([
    ["like a heading", pending("# Cut")],
    ["like a note", pending("> Cut")],
    ["like an item", pending("- [x] Cut")],
    ["with a comment", pending('Cut <!-- {"owner":"me"} -->')],
    ["with a comment that ends early", pending("Cut", { owner: "a --> b" })],
    [
      "with every field",
      pending("Cut", {
        activeText: "Cutting",
        rawStatus: "waiting",
        priority: "high",
        parent: "1",
        blockedBy: ["2", "3"],
        blocker: "no cloth",
        owner: "me",
        ref: "x-1",
        evidence: ["a.png", "https://example.org"],
        notes: ["one", "two\nlines\n\nand > a quote", "\\ and >"],
        phase: "Phase # 1 #",
      }),
    ],
  ])("preserve a text %s", (_, draft) => {
    // A phase has a heading, and an empty line below it.
    const lines = [draft.phase === undefined ? 1 : 3];
    expect(roundTrip([draft])).toEqual({ drafts: [draft], lines, problems: [], ignored: 0 });
  });

  it("preserve a todo without a phase after one with a phase", () => {
    const list = [pending("Cut", { phase: "Build" }), pending("Wave"), pending("Cut")];
    expect(roundTrip(list).drafts).toEqual(list);
  });

  it("print todos and their drafts alike", () => {
    const drafts = [pending("Cut", { phase: "Build", notes: ["sharp"] }), pending("Sew")];
    const list = prepare(newList(), { op: "replace", todos: drafts });
    expect(printMarkdown(list.get())).toBe(printMarkdown(drafts));
  });

  it("report problems with their line and continue", () => {
    const page = lines("> early", "# Build", "- [?] Cut", "- [ ] ", "Some prose", "- [x] Sew");
    expect(parseMarkdown(page)).toEqual({
      drafts: [{ text: "Sew", status: "completed", phase: "Build" }],
      lines: [6],
      problems: [
        { line: 1, message: "a note without a todo above it" },
        { line: 3, message: "unknown marker [?]; use one of [ ] [/] [x] [-] [!] [X] [>] [~]" },
        { line: 4, message: "a todo without text" },
      ],
      ignored: 1,
    });
  });

  it("accept other bullets, indents, line ends and a byte order mark", () => {
    expect(parseMarkdown("\uFEFF* [ ] Cut\r\n  + [x] Sew\r- [ ] Pack").drafts).toEqual([
      pending("Cut"),
      { text: "Sew", status: "completed" },
      pending("Pack"),
    ]);
  });

  it("keep other comments as text", () => {
    for (const text of [
      "Cut <!-- {broken} -->",
      'Cut <!-- {"colour":"red"} -->',
      'Cut <!-- {"owner":5} -->',
      'Cut <!-- {"__proto__":"x"} -->',
    ])
      expect(parseMarkdown(`- [ ] ${text}`).drafts).toEqual([pending(text)]);
  });
});
