import { oneLine } from "./escape.ts";

/** Stands for whatever a message must not repeat. */
const HIDDEN = "...";

const URL_FORM = /^([a-z][a-z\d+.-]*):\/\/([^/?#]*)([^?#]*)(.*)$/is;
const HOST = /^(?:[\w.-]*|\[[\da-f:.]+\]|%2f[\w.%-]*)(?::\d{1,5})?$/i;
const USER = /^[\w.~+-]*$/;
const PATH = /^[\w.~+%/-]*$/;
/** A bare word or a file path: every way to write a password needs another character. */
const WORD = /^[\w.~+/\\ -]*$/;

/**
 * A connection string for messages, logs and JSON, without its secrets. Scheme, user, host, port and
 * path stay; password and query do not. If a password holds an unescaped `/`, `?`, `#` or `@`, or the
 * scheme is missing, it is uncertain where the password ends, and everything else is hidden too.
 */
export function redactUrl(text: string): string {
  const parts = partsOf(text);
  if (parts) {
    const { scheme, login, host, path, query } = parts;
    const mark = query === "" ? "" : `${query[0]}${HIDDEN}`;
    return `${scheme}://${login === undefined ? "" : `${redactLogin(login)}@`}${host}${path}${mark}`;
  }
  if (WORD.test(text)) return text;
  const scheme = URL_FORM.exec(text)?.[1];
  return scheme === undefined ? HIDDEN : `${scheme}://${HIDDEN}`;
}

/** An argument that a message repeats: redacted if it may be a connection string, otherwise unchanged. */
export function redactArgument(text: string): string {
  const isConnection = /:\/|\/\/|[:=].*@|(?:pass|pw|secret|token)\w*=/is.test(text);
  return isConnection ? redactUrl(text) : text;
}

/** Long enough not to be a word of the message by chance. */
const RECOGNIZED = 4;
/** No connection string is longer; some of the patterns take long for long texts. */
const LONGEST = 2_000;
const MOST_VALUES = 20;
const WORDS = /[^\s"'\u0060()<>]+/g;
const QUOTED_PASSWORD = /(?:pass|pw|secret|token)\w{0,20}=(?:'[^']*'|"[^"]*")/gi;
const SCHEME = /^[\w+.-]*[:/]*/;
/** A login with a password, behind a scheme or what may be one, or an option of that name. */
const PASSWORD = /(?:[a-z][a-z\d+.-]*:|\/)\/*[^\s/:]*(?::|%3a)\S*@|(?:pass|pw|secret|token)\w*=/i;

/**
 * A message without the passwords that it repeats. `given` are the texts that may hold some, such as the
 * arguments of the program: each is recognized whole or by its beginning, because messages shorten
 * what they repeat. A connection string of any other origin is recognized if it has no spaces or quotes.
 */
export function redactMessage(message: string, given: readonly string[] = []): string {
  const redacted = hideIn(message, given.flatMap(formsOf));
  return redacted.replace(QUOTED_PASSWORD, HIDDEN).replace(WORDS, (word) => {
    if (!/[@=]/.test(word)) return word;
    if (word.length > LONGEST) return HIDDEN;
    return PASSWORD.test(word) ? redactWord(word) : word;
  });
}

interface Form {
  readonly text: string;
  /** The redacted text. */
  readonly shown: string;
  /** How many characters of its beginning may be shown. */
  readonly harmless: number;
}

/** The argument, its value, and the rest of it after each comma. */
function formsOf(given: string): readonly Form[] {
  const argument = given.slice(0, LONGEST);
  const value = /^--?[\w-]+=(.*)$/s.exec(argument)?.[1] ?? argument;
  // A value between commas is repeated without what follows it, which may be what shows that it is secret.
  const commas = [...value.matchAll(/,/g)].slice(0, MOST_VALUES);
  const starts = [0, value.indexOf("=") + 1, ...commas.map(({ index }) => index + 1)];
  const parts = [argument, ...starts.map((start) => value.slice(start))];
  return parts.flatMap((part) => {
    const shown = redactArgument(part);
    if (shown === part) return [];
    const texts = [part, part.trim(), oneLine(part), JSON.stringify(part).slice(1, -1)];
    return texts.map((text) => {
      const scheme = SCHEME.exec(text)?.[0] ?? "";
      return { text, shown, harmless: Math.max(commonStart(text, shown), scheme.length) };
    });
  });
}

/** Replaces each place where the message repeats more of a text than may be shown. */
function hideIn(message: string, forms: readonly Form[]): string {
  let result = "";
  let from = 0;
  for (;;) {
    const found = firstRepeated(message, from, forms);
    if (!found) return result + message.slice(from);
    const end = found.at + found.length;
    const isSecret = found.length > found.form.harmless;
    result += message.slice(from, found.at);
    result += isSecret ? found.form.shown : message.slice(found.at, end);
    from = end;
  }
}

interface Repeated {
  readonly form: Form;
  readonly at: number;
  readonly length: number;
}

/** The first place that repeats one of them, and the one that it repeats most of. */
function firstRepeated(
  message: string,
  from: number,
  forms: readonly Form[],
): Repeated | undefined {
  let first: Repeated | undefined;
  for (const form of forms) {
    const at = message.indexOf(form.text.slice(0, RECOGNIZED), from);
    if (at === -1 || (first && at > first.at)) continue;
    const length = commonStart(message.slice(at, at + form.text.length), form.text);
    if (!first || at < first.at || length > first.length) first = { form, at, length };
  }
  return first;
}

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}

/** A full stop or the like at its end belongs to the sentence. */
function redactWord(word: string): string {
  const end = /[.,;:!]*$/.exec(word)?.[0] ?? "";
  return redactUrl(word.slice(0, word.length - end.length)) + end;
}

/**
 * Whether it is certain where the password ends. If it is not, the driver may have read parts of it as
 * host, port or database, and an error message of the server may repeat them.
 */
export function isClearUrl(text: string): boolean {
  return partsOf(text) !== undefined;
}

interface Parts {
  readonly scheme: string;
  readonly login: string | undefined;
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

function partsOf(text: string): Parts | undefined {
  const [whole, scheme = "", authority = "", path = "", query = ""] = URL_FORM.exec(text) ?? [];
  const at = authority.lastIndexOf("@");
  const host = authority.slice(at + 1);
  const isCertain =
    whole !== undefined && HOST.test(host) && PATH.test(path) && !query.includes("@");
  if (!isCertain) return undefined;
  return { scheme, login: at < 0 ? undefined : authority.slice(0, at), host, path, query };
}

function redactLogin(login: string): string {
  const [user = "", ...password] = login.split(":");
  return `${USER.test(user) ? user : HIDDEN}${password.length > 0 ? `:${HIDDEN}` : ""}`;
}
