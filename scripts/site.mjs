// Builds the documentation as static HTML that works from the file system: no server, no network.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, extname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { Marked } from "marked";
import { plainText, slugger } from "./markdown.mjs";

const ASSETS = fileURLToPath(new URL("site", import.meta.url));
const PICTURES = new Set([".png", ".svg", ".jpg", ".gif"]);
const HOME = "docs/README.md";

/** Writes the site below `target`, replacing what is there. Returns the number of pages. */
export function writeSite(root, target) {
  const files = siteFiles(root);
  rmSync(target, { recursive: true, force: true });
  for (const [path, content] of files) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), content);
  }
  return [...files.keys()].filter((path) => path.endsWith(".html")).length;
}

/**
 * The files of the site by their paths. Pages are all of docs/ and every Markdown file that they link to; pictures
 * are copied, other files that are linked to become pages with their source.
 */
export function siteFiles(root) {
  const files = new Map(
    readdirSync(ASSETS).map((name) => [name, readFileSync(join(ASSETS, name))]),
  );
  const sections = navigation(readFileSync(join(root, HOME), "utf8"));
  const order = sections.flatMap(({ pages }) => pages);
  const index = [];
  const waiting = [HOME, ...order.map(({ source }) => source), ...markdownBelow(root, "docs")];
  const queued = new Set(waiting);
  for (const source of queued) {
    const link = (target) => {
      const file = statSync(join(root, target)).isDirectory() ? `${target}/README.md` : target;
      queued.add(file);
      return outputPath(file);
    };
    const path = outputPath(source);
    if (PICTURES.has(extname(source))) {
      files.set(path, readFileSync(join(root, source)));
      continue;
    }
    const text = readFileSync(join(root, source), "utf8");
    const page = source.endsWith(".md")
      ? renderPage(source, text, link)
      : { title: posix.basename(source), html: renderSource(source, text), parts: [] };
    files.set(path, layout(path, page, sections, order));
    index.push(...page.parts.map((part) => ({ ...part, page: page.title, path })));
  }
  files.set("search-index.js", `window.searchIndex=${JSON.stringify(index)};\n`);
  return files;
}

function markdownBelow(root, folder) {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => posix.join(folder, name.replaceAll("\\", "/")))
    .sort();
}

/** The path of a repository file in the site. */
export function outputPath(source) {
  const path = source.startsWith("docs/") ? source.slice("docs/".length) : `project/${source}`;
  if (PICTURES.has(extname(source))) return path;
  if (!source.endsWith(".md")) return `${path}.html`;
  return path.replace(/README\.md$/, "index.md").replace(/\.md$/, ".html");
}

/** The sections of the table of contents: `[{ title, pages: [{ title, source }] }]`. */
export function navigation(contents) {
  const marked = new Marked();
  const sections = [];
  for (const token of marked.lexer(contents)) {
    if (token.type === "heading" && token.depth === 2)
      sections.push({ title: plainText(token), pages: [] });
    marked.walkTokens([token], (each) => {
      if (each.type !== "link" || /^[a-z]+:|#/.test(each.href)) return;
      const source = posix.join("docs", each.href);
      const pages = sections.at(-1)?.pages;
      if (!pages?.some((page) => page.source === source))
        pages?.push({ title: plainText(each), source });
    });
  }
  return sections.filter(({ pages }) => pages.length > 0);
}

/** A page as HTML, with its title, its headings and its text by section for the search. */
function renderPage(source, text, link) {
  const slug = slugger();
  const headings = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const title = tokens.map(plainText).join("");
        const anchor = slug(title);
        headings.push({ depth, title, anchor });
        const inner = this.parser.parseInline(tokens);
        return `<h${depth} id="${anchor}">${inner}${depth > 1 ? ` <a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a>` : ""}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        return `<a href="${escaped(resolved(source, href, link))}">${this.parser.parseInline(tokens)}</a>`;
      },
      image({ href, text: alt }) {
        return `<img src="${escaped(resolved(source, href, link))}" alt="${escaped(alt)}" loading="lazy">`;
      },
      code({ text: code, lang }) {
        return codeBlock(code, lang);
      },
      table(token) {
        const row = (cells, tag) =>
          `<tr>${cells.map((cell) => tableCell(this.parser.parseInline(cell.tokens), tag)).join("")}</tr>`;
        const isHeadless = token.header.every((cell) => cell.text === "");
        const head = isHeadless ? "" : `<thead>${row(token.header, "th")}</thead>`;
        const body = token.rows.map((cells) => row(cells, "td")).join("\n");
        return `<div class="table"><table>${head}<tbody>${body}</tbody></table></div>\n`;
      },
      html({ text: html }) {
        return html.startsWith("<!--") ? "" : escaped(html);
      },
    },
  });
  const tokens = marked.lexer(text);
  const html = marked.parser(tokens);
  const title = headings[0]?.title ?? posix.basename(source);
  return { title, html, headings, parts: sectionsOf(tokens) };
}

/** The text below each heading, for the search. */
function sectionsOf(tokens) {
  const slug = slugger();
  const parts = [];
  for (const token of tokens)
    if (token.type === "heading") {
      const title = plainText(token);
      parts.push({ title, anchor: slug(title), text: "" });
    } else if (token.type !== "space" && token.type !== "html") {
      const part = parts.at(-1);
      if (part) part.text = `${part.text} ${plainText(token).replace(/\s+/g, " ")}`.trim();
    }
  return parts;
}

/** A heading without text is an ordinary cell: screen readers would announce an empty heading. */
function tableCell(html, tag) {
  const element = html === "" ? "td" : tag;
  return `<${element}>${html}</${element}>`;
}

function renderSource(source, text) {
  return `<h1>${escaped(source)}</h1>\n${codeBlock(text, extname(source).slice(1))}`;
}

function codeBlock(code, language = "") {
  const kind = language.split(/\s/)[0];
  const label = kind ? ` data-language="${escaped(kind)}"` : "";
  return `<pre${label} tabindex="0"><code>${escaped(code)}</code></pre>\n`;
}

/** The address of a link, relative to the page that it stands on. */
function resolved(source, href, link) {
  if (/^[a-z]+:/.test(href) || href.startsWith("#")) return href;
  const [path, anchor] = href.split("#");
  const target = posix.join(posix.dirname(source), path);
  const relative = posix.relative(posix.dirname(outputPath(source)), link(target));
  return anchor === undefined ? relative : `${relative}#${anchor}`;
}

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text) {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character]);
}

function layout(path, page, sections, order) {
  const up = posix.relative(posix.dirname(path), ".") || ".";
  const to = (source) => posix.join(up, outputPath(source));
  const here = order.findIndex(({ source }) => outputPath(source) === path);
  const near = [
    [order[here - 1], "prev", "Previous"],
    [here === -1 ? undefined : order[here + 1], "next", "Next"],
  ];
  const inside = (page.headings ?? []).filter(({ depth }) => depth === 2);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(page.title)}${path === "index.html" ? "" : " · Waymark"}</title>
<link rel="stylesheet" href="${up}/site.css">
<script src="${up}/theme.js"></script>
<script src="${up}/search-index.js" defer></script>
<script src="${up}/site.js" data-root="${up}" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="home" href="${to(HOME)}">Waymark</a>
<div class="search" role="search"><input type="search" placeholder="Search  /" aria-label="Search the documentation" aria-controls="results" autocomplete="off"><ol class="results" id="results" hidden></ol></div>
<button class="theme" type="button" aria-label="Switch between light and dark">◐</button>
</header>
<div class="columns">
<nav aria-label="Documentation">
<details open><summary>Contents</summary>
${sections.map((section) => sectionLinks(section, path, to)).join("\n")}
</details>
</nav>
<main id="content">
${page.html}
<footer>${near
    .filter(([target]) => target)
    .map(
      ([{ title, source }, rel, label]) =>
        `<a rel="${rel}" href="${to(source)}"><small>${label}</small>${escaped(title)}</a>`,
    )
    .join("")}</footer>
</main>
${
  inside.length > 1
    ? `<aside aria-label="On this page"><strong>On this page</strong><ul>${inside
        .map(
          ({ title, anchor }) =>
            `<li><a class="page-link" href="#${anchor}">${escaped(title)}</a></li>`,
        )
        .join("")}</ul></aside>`
    : ""
}
</div>
</body>
</html>
`;
}

function sectionLinks({ title, pages }, path, to) {
  const links = pages.map(({ title: name, source }) => {
    const current = outputPath(source) === path ? ' aria-current="page"' : "";
    return `<li><a class="page-link" href="${to(source)}"${current}>${escaped(name)}</a></li>`;
  });
  return `<h2 class="group">${escaped(title)}</h2><ul>${links.join("")}</ul>`;
}
