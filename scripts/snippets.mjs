// The TypeScript and JavaScript snippets of a page as whole programs, to be type-checked.
import { readMarkdown } from "./markdown.mjs";

/**
 * A comment above a block has what the text around it takes for granted:
 *
 *     <!-- ts
 *     import { createTracker } from "waymark";
 *     ---
 *     replace "let messages =" "const messages: unknown[] ="
 *     export { messages };
 *     -->
 *
 * Above the line is what comes before the snippet, below it what comes after it, and replacements for what is only there for
 * readers. `ts heavy` marks snippets for packages that only `npm run test:sdk` installs.
 */
export function snippetsIn(file, text) {
  return readMarkdown(text)
    .blocks.filter(({ language }) => language === "ts" || language === "js")
    .map(({ code, comment = "", heading }, n) => {
      const [, heavy, context = ""] = /^ts( heavy)?\n([\s\S]*)$/.exec(comment) ?? [];
      const [before = "", after = ""] = context.split(/^---$/m);
      const lines = after.split("\n");
      const isReplacement = (line) => line.startsWith("replace ");
      const body = lines.filter(isReplacement).reduce((result, line) => {
        const [from, to] = JSON.parse(`[${line.slice("replace ".length).replace('" "', '", "')}]`);
        if (!result.includes(from)) throw new Error(`${file}: ${from} is not in the snippet`);
        return result.replace(from, () => to);
      }, code);
      const rest = lines.filter((line) => !isReplacement(line)).join("\n");
      return {
        name: `${file}: ${heading} ${n + 1}`,
        program: `${before}\n${body}\n${rest}\nexport {};\n`,
        isHeavy: heavy !== undefined,
      };
    });
}
