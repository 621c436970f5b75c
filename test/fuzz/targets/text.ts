import {
  cutBytes,
  cutGraphemes,
  forHtml,
  forJson,
  forPage,
  forTerminal,
  oneLine,
  terminalLine,
} from "../../../src/core/text/escape.ts";
import {
  code,
  json,
  line,
  neutralData,
  quote,
  withoutEscapes,
} from "../../../src/core/text/model-text.ts";
import { redactArgument, redactMessage, redactUrl } from "../../../src/core/text/redact.ts";
import { cells, cut, wrap, wrapHanging } from "../../../src/surfaces/text/draw/width.ts";
import { holds, same } from "../check.ts";

const WIDTH = 20;
const SECRET = "s3cr3t-w0rd";
const INVISIBLE = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/u;
const MARKUP = /[<>]/;

/** Any text at every sink. */
export function fuzz(bytes: Buffer): void {
  const text = bytes.toString();
  for (const shown of [forTerminal(text), forPage(text), terminalLine(text)])
    holds("a terminal or page shows every character", !INVISIBLE.test(shown));
  same("JSON for a terminal", JSON.parse(forJson(text)), text);
  holds("JSON for a terminal shows every character", !/[\x7f-\x9f\u202e]/.test(forJson(text)));
  holds("HTML has no markup", !/[<>"']/.test(forHtml(text)));
  holds("one line", !/[\n\r\u2028\u2029]/.test(oneLine(text)));
  same(
    "at most some graphemes",
    cutGraphemes(cutGraphemes(text, WIDTH), WIDTH),
    cutGraphemes(text, WIDTH),
  );
  holds("at most some bytes", Buffer.byteLength(cutBytes(text, WIDTH)) <= WIDTH);

  for (const model of [quote(text), line(text), code(text), json(text), neutralData(text)]) {
    holds("a model reads no markup", !MARKUP.test(model));
    if (model !== neutralData(text)) holds("a model reads one line", !/[\n\r]/.test(model));
  }
  same("the quoted JSON", JSON.parse(json(text)), text);
  same("the neutral text", withoutEscapes(neutralData(text)), text);

  holds("cut to the width", cells(cut(terminalLine(text), WIDTH, "…")) <= WIDTH);
  wrapHanging(terminalLine(text), WIDTH);
  for (const row of wrap(terminalLine(text), WIDTH))
    holds("wrapped to the width", cells(row) <= WIDTH);

  const url = `postgres://me:${SECRET}@${text}`;
  for (const clear of [
    redactUrl(url),
    redactArgument(url),
    redactMessage(`cannot open ${url}`, [url]),
    redactMessage(`cannot open ${url}`),
  ])
    holds("no password is left", !clear.includes(SECRET));
}
