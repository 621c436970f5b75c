// Reads the Markdown of the documentation: its headings with the anchors that GitHub gives them, its links and code blocks.
import { marked } from "marked";

/** The headings, links and code blocks of a page, in order. */
export function readMarkdown(text) {
  const headings = [];
  const links = [];
  const blocks = [];
  const slug = slugger();
  let comment;
  marked.walkTokens(marked.lexer(text), (token) => {
    if (token.type === "heading") {
      const title = plainText(token);
      headings.push({ depth: token.depth, title, anchor: slug(title) });
    } else if (token.type === "link" || token.type === "image")
      links.push({ target: token.href, isImage: token.type === "image" });
    else if (token.type === "html") comment = /^<!--([\s\S]*)-->\s*$/.exec(token.text)?.[1].trim();
    else if (token.type === "code") {
      const { title } = headings.at(-1) ?? { title: "" };
      blocks.push({ language: token.lang ?? "", code: token.text, comment, heading: title });
      comment = undefined;
    } else if (token.type === "paragraph") comment = undefined;
  });
  return { headings, links, blocks };
}

/** Returns a function that turns the title of a heading into its anchor; repeated titles get a number, as on GitHub. */
export function slugger() {
  const seen = new Map();
  return (title) => {
    const base = title
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
      .replaceAll(" ", "-");
    const count = seen.get(base) ?? 0;
    seen.set(base, count + 1);
    return count === 0 ? base : `${base}-${count}`;
  };
}

/** The text of a token without its markup. */
export function plainText(token) {
  if (token.type === "html") return "";
  if (token.tokens) return token.tokens.map(plainText).join("");
  if (token.type === "table")
    return [token.header, ...token.rows]
      .map((row) => row.map((cell) => cell.tokens.map(plainText).join("")).join(" "))
      .join(" ");
  if (token.type === "list") return token.items.map(plainText).join(" ");
  return unescaped(token.text ?? "");
}

const ENTITIES = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };

function unescaped(text) {
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity]);
}
