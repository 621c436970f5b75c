// Finds phrases that this project used to overuse, in comments, strings, test titles and Markdown. Prints each with a reason
// and fails if there is one. Checks the tracked files, or the paths that are named.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";
import { EXCEPTIONS, RULES } from "./prose-rules.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const CODE = /\.(?:[cm]?[jt]s|tsx)$/;
const COMMENTED = /\.(?:css|sql|wat|sh)$|^bin\/waymark-hook$/;
const PROSE = /\.md$/;
/** Recorded, generated, historical, or a list of the phrases themselves. */
const LEFT_OUT =
  /(?:^|\/)(?:fixtures|goldens|generated|__snapshots__)\/|^docs\/api\/|^bench\/RESULTS\.md$|^package-lock\.json$|^scripts\/prose-rules\.mjs$/;
/** Callees whose first argument is a title. */
const TITLED = new Set(["test", "it", "describe"]);

/** The texts of a file that people read: `{ text, line, isTitle }`. */
export function textsIn(path, source) {
  if (CODE.test(path)) return textsOfCode(path, source);
  if (PROSE.test(path)) return textsOfMarkdown(source);
  return COMMENTED.test(path) ? textsOfComments(source) : [];
}

function textsOfCode(path, source) {
  const lang = /\.d\.m?ts$/.test(path) ? "dts" : path.endsWith("x") ? "tsx" : "ts";
  const { program, comments } = parseSync(path, source, { lang, sourceType: "module" });
  const lineAt = lineFinder(source);
  const texts = joinLineComments(comments, source).map(({ value, start }) => ({
    text: commentText(value),
    line: lineAt(start),
  }));
  const isTest = path.startsWith("test/") || path.startsWith("src/testing/");
  visit(program, (node, parent) => {
    const text = stringOf(node);
    if (text === undefined) return;
    const isTitle = isTitleOf(node, parent);
    // Other strings of tests are input and expected output.
    if (isTest && !isTitle) return;
    if (isTitle || /[a-z]\S* \S*[a-z]+ \S/i.test(text))
      texts.push({ text, line: lineAt(node.start), isTitle });
  });
  return texts;
}

/** Line comments that follow one another are one text. */
function joinLineComments(comments, source) {
  const joined = [];
  for (const comment of comments) {
    const last = joined.at(-1);
    const isNext = last?.type === "Line" && comment.type === "Line";
    if (isNext && /^\n[ \t]*$/.test(source.slice(last.end, comment.start)))
      joined[joined.length - 1] = {
        ...last,
        end: comment.end,
        value: `${last.value}\n${comment.value}`,
      };
    else joined.push(comment);
  }
  return joined;
}

/** The text of a comment: without its asterisks, examples and links. */
function commentText(value) {
  return value
    .replace(/^[ \t]*\*[ \t]?/gm, "")
    .replace(/```[\s\S]*?```/g, "")
    .replace(/^@(?:param|returns|throws)\s*(?:\w+\s)?/gm, "\n\n")
    .replace(/^@example[\s\S]*/m, "")
    .trim();
}

function stringOf(node) {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type === "JSXText") return node.value;
  if (node.type === "TemplateLiteral")
    return node.quasis.map(({ value }) => value.cooked ?? value.raw).join("…");
  return undefined;
}

function isTitleOf(node, parent) {
  if (parent?.type !== "CallExpression" || parent.arguments[0] !== node) return false;
  let callee = parent.callee;
  while (callee.type === "MemberExpression" || callee.type === "CallExpression")
    callee = callee.object ?? callee.callee;
  return TITLED.has(callee.name);
}

function visit(node, see, parent) {
  if (Array.isArray(node)) {
    for (const each of node) visit(each, see, parent);
    return;
  }
  if (typeof node?.type !== "string") return;
  see(node, parent);
  for (const value of Object.values(node))
    if (typeof value === "object" && value !== null) visit(value, see, node);
}

function textsOfMarkdown(source) {
  const texts = [];
  let isCode = false;
  let paragraph;
  const end = () => {
    if (paragraph) texts.push(paragraph);
    paragraph = undefined;
  };
  for (const [index, raw] of source.split("\n").entries()) {
    if (/^\s*(?:```|~~~)/.test(raw)) {
      end();
      isCode = !isCode;
      continue;
    }
    const isTable = /^\s*\|/.test(raw);
    const isHeading = /^#/.test(raw);
    const starts = isTable || isHeading || /^\s*(?:[-*>]|\d+\.)\s/.test(raw) || raw.trim() === "";
    if (isCode || starts) end();
    if (isCode || isHeading || raw.trim() === "") continue;
    const line = index + 1;
    if (isTable) for (const cell of raw.split("|")) texts.push({ text: plain(cell), line });
    else if (paragraph) paragraph.text += `\n${plain(raw)}`;
    else paragraph = { text: plain(raw.replace(/^\s*(?:[-*>]|\d+\.)\s+/, "")), line };
  }
  end();
  return texts;
}

/** Markdown without code and addresses. */
function plain(text) {
  return text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/`[^`]*`/g, "code")
    .replace(/\*\*|__/g, "")
    .trim();
}

function textsOfComments(source) {
  const lineAt = lineFinder(source);
  const found = source.matchAll(/\/\*[\s\S]*?\*\/|(?:--|;;|#(?!!)|^\/\/)\s[^\n]*/gm);
  return [...found].map(({ 0: text, index }) => ({
    text: commentText(text.replace(/^(?:\/\*+|--|;;|#)|\*\/$/g, "")),
    line: lineAt(index),
  }));
}

function lineFinder(source) {
  const starts = [0];
  for (let at = source.indexOf("\n"); at !== -1; at = source.indexOf("\n", at + 1))
    starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (starts[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
}

/** The sentences of a text. Abbreviations and numbers do not end one. */
export function sentencesIn(text) {
  return text
    .split(/\n{2,}|(?<=[.!?:;][)"']?)\s+(?=[A-Z`"(])|\n(?=[-*] )/)
    .map((one) => one.replace(/\s+/g, " ").trim())
    .filter((one) => one.split(" ").length >= 3);
}

/** The findings in a file: `{ path, line, phrase, sentence, use }`. */
export function findingsIn(path, source) {
  return textsIn(path, source).flatMap(({ text, line, isTitle }) =>
    sentencesIn(text).flatMap((sentence) =>
      RULES.flatMap(({ pattern, use, isForTitles }) => {
        if (isForTitles && !isTitle) return [];
        const phrase = pattern.exec(sentence)?.[0];
        return phrase === undefined ? [] : [{ path, line, phrase, sentence, use }];
      }),
    ),
  );
}

export function isChecked(path) {
  return !LEFT_OUT.test(path) && (CODE.test(path) || PROSE.test(path) || COMMENTED.test(path));
}

function isExcepted({ path, sentence }) {
  return EXCEPTIONS.some((one) => path.startsWith(one.path) && sentence.includes(one.text));
}

function main(paths) {
  const { stdout } = spawnSync("git", ["ls-files", "-z", "-co", "--exclude-standard", ...paths], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  const files = stdout.split("\0").filter((path) => path && isChecked(path));
  const all = files.flatMap((path) => {
    try {
      return findingsIn(path, readFileSync(`${root}/${path}`, "utf8"));
    } catch (error) {
      if (error.code === "ENOENT") return [];
      throw error;
    }
  });
  const found = all.filter((one) => !isExcepted(one));
  for (const { path, line, phrase, sentence, use } of found) {
    const shown = sentence.length > 100 ? `${sentence.slice(0, 99)}…` : sentence;
    console.log(`${path}:${line}: "${phrase.trim()}": ${use}\n    ${shown}`);
  }
  const unused =
    paths.length > 0
      ? []
      : EXCEPTIONS.filter(
          (one) =>
            !all.some(
              ({ path, sentence }) => path.startsWith(one.path) && sentence.includes(one.text),
            ),
        );
  for (const { path, text } of unused) console.log(`unused exception: ${path}: ${text}`);
  console.log(`prose: ${files.length} files, ${found.length} findings`);
  if (found.length + unused.length > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
