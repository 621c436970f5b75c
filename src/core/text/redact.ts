import { oneLine } from "./escape.ts";

/** Replaces secrets. */
const HIDDEN = "...";

const URL_FORM = /^([a-z][a-z\d+.-]*):\/\/([^/?#]*)([^?#]*)(.*)$/is;
const HOST = /^(?:[\w.-]*|\[[\da-f:.]+\]|%2f[\w.%-]*)(?::\d{1,5})?$/i;
const USER = /^[\w.~+-]*$/;
const PATH = /^[\w.~+%/-]*$/;
/** A bare word or a file path. A password in any notation needs another character. */
const WORD = /^[\w.~+/\\ -]*$/;

/**
 * Removes the secrets of a connection string for messages, logs and JSON. Scheme, user, host, port and path
 * stay; password and query do not. If a password contains an unescaped `/`, `?`, `#` or `@`, or the
 * scheme is missing, the end of the password is uncertain and everything else is hidden too.
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

/** Redacts an argument for a message if it may be a connection string. */
export function redactArgument(text: string): string {
  const sign = text.search(/[:=]/);
  const isConnection =
    /:\/|\/\//.test(text) || (sign >= 0 && sign < text.lastIndexOf("@")) || OPTION.test(text);
  return isConnection ? redactUrl(text) : text;
}

/** Minimum length of a match: long enough not to occur in the message by chance. */
const RECOGNIZED = 4;
/** Longer than any connection string. */
const LONGEST = 2_000;
const MOST_VALUES = 20;
const WORDS = /[^\s"'\u0060()<>]+/g;
const QUOTED_PASSWORD = /(?:pass|pw|secret|token)\w{0,20}=(?:'[^']*'|"[^"]*")/gi;
const SCHEME = /^[\w+.-]*[:/]*/;
/** A password option. Takes linear time: a name that contains another is read once. */
const OPTION = /(?:pass|pw|secret|token)(?:(?!pass|pw|secret|token)\w)*=/i;
/** The end of something like a scheme, or a slash. Takes linear time: it starts at the last letter. */
const SCHEME_END = /\/|[a-z][\d+.-]*:/i;

/** True for a login with a password after something like a scheme, or for a password option. */
function hasPassword(word: string): boolean {
  const login = word.slice(0, Math.max(0, word.lastIndexOf("@")));
  const scheme = SCHEME_END.exec(login);
  const separator = Math.max(...[":", "%3a", "%3A"].map((text) => login.lastIndexOf(text)));
  return (scheme !== null && separator >= scheme.index + scheme[0].length) || OPTION.test(word);
}

/**
 * Removes passwords from a message. `given` are the texts that may contain some, such as the arguments of
 * the program: each is recognized whole or by its beginning, because messages shorten what they quote.
 * Any other connection string is recognized if it has no spaces or quotes.
 */
export function redactMessage(message: string, given: readonly string[] = []): string {
  const redacted = hideIn(message, given.flatMap(formsOf));
  return redacted.replace(QUOTED_PASSWORD, HIDDEN).replace(WORDS, (word) => {
    if (!/[@=]/.test(word)) return word;
    if (word.length > LONGEST) return HIDDEN;
    return hasPassword(word) ? redactWord(word) : word;
  });
}

interface Form {
  readonly text: string;
  /** The redacted text. */
  readonly shown: string;
  /** How many characters at its beginning may be shown. */
  readonly harmless: number;
}

/** The argument, its value, and the rest of the value after each comma. */
function formsOf(given: string): readonly Form[] {
  const argument = given.slice(0, LONGEST);
  const value = /^--?[\w-]+=(.*)$/s.exec(argument)?.[1] ?? argument;
  // A message may quote one value of a comma-separated list, without the part that shows that it is a secret.
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

/** Redacts each part of the message that quotes more of a text than may be shown. */
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

/** The first quote of one of the texts; the longest if several start there. */
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

/** Punctuation at the end belongs to the sentence. */
function redactWord(word: string): string {
  const end = /(?<![.,;:!])[.,;:!]+$/.exec(word)?.[0] ?? "";
  return redactUrl(word.slice(0, word.length - end.length)) + end;
}

/**
 * Whether the end of the password is certain. If not, the driver may have read parts of it as host, port
 * or database, and an error message of the server may quote them.
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
