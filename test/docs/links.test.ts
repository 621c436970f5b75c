import { existsSync, statSync } from "node:fs";
import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { readMarkdown, slugger } from "../../scripts/markdown.mjs";
import { navigation, siteFiles } from "../../scripts/site.mjs";
import { GUIDES, MARKDOWN, textOf } from "./pages.ts";

const pages = new Map(MARKDOWN.map((file) => [file, readMarkdown(textOf(file))]));
const isExternal = (target: string) => /^[a-z]+:/.test(target);

function anchorsOf(file: string): readonly string[] | undefined {
  const page = existsSync(file) && statSync(file).isDirectory() ? `${file}/README.md` : file;
  return pages.get(page)?.headings.map(({ anchor }) => anchor);
}

describe("links in Markdown", () => {
  test.each([...pages.keys()])("%s: every relative link and anchor exists", (file) => {
    const broken = (pages.get(file)?.links ?? [])
      .map(({ target }) => target)
      .filter((target) => !isExternal(target))
      .filter((target) => {
        const [path = "", anchor] = decodeURI(target).split("#");
        const to = path === "" ? file : posix.join(posix.dirname(file), path);
        return !existsSync(to) || (anchor !== undefined && !anchorsOf(to)?.includes(anchor));
      });
    expect(broken).toEqual([]);
  });

  test("lead out of the project to https addresses only", () => {
    const outside = [...pages.values()].flatMap(({ links }) => links.map(({ target }) => target));
    expect(outside.filter((target) => isExternal(target) && !/^https:/.test(target))).toEqual([]);
  });

  test("anchors are made as GitHub makes them", () => {
    const slug = slugger();
    const titles = [
      "Where things are",
      "`waymark task add`",
      "`--json`: an example?",
      "Where things are",
    ];
    expect(titles.map(slug)).toEqual([
      "where-things-are",
      "waymark-task-add",
      "--json-an-example",
      "where-things-are-1",
    ]);
  });
});

describe("the table of contents", () => {
  const contents = navigation(textOf("docs/README.md")).flatMap(({ pages: each }) =>
    each.map(({ source }) => source),
  );

  test("has every page of docs", () => {
    const pagesOfDocs = GUIDES.filter(
      (file) => file.startsWith("docs/") && file !== "docs/README.md",
    );
    expect(pagesOfDocs.filter((file) => !contents.includes(file))).toEqual([]);
  });
});

describe("the documentation as HTML", () => {
  const files = siteFiles(".");
  const html = [...files].filter(([path]) => path.endsWith(".html"));
  const idsOf = (path: string) =>
    new Set([...String(files.get(path)).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  const ids = new Map(html.map(([path]) => [path, idsOf(path)]));

  test("has a page for each page of docs", () => {
    expect(html.length).toBeGreaterThan(GUIDES.length);
    expect(files.has("index.html")).toBe(true);
  });

  test("every link, anchor, picture, script and style sheet exists, and none needs a network", () => {
    const broken = html.flatMap(([path, page]) =>
      [...String(page).matchAll(/ (href|src)="([^"]*)"/g)]
        .map(([, kind = "", target = ""]) => ({ kind, target }))
        .filter(({ kind, target }) => {
          if (isExternal(target)) return kind === "src" || !target.startsWith("https:");
          const [relative = "", anchor] = target.split("#");
          const to = relative === "" ? path : posix.join(posix.dirname(path), relative);
          return !files.has(to) || (anchor !== undefined && !ids.get(to)?.has(anchor));
        })
        .map(({ target }) => `${path}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  test("every entry of the search leads to a heading", () => {
    const text = String(files.get("search-index.js"));
    const index = JSON.parse(text.replace("window.searchIndex=", "").replace(/;\n$/, "")) as {
      path: string;
      anchor: string;
    }[];
    expect(index.length).toBeGreaterThan(200);
    expect(index.filter(({ path, anchor }) => !ids.get(path)?.has(anchor))).toEqual([]);
  });
});
