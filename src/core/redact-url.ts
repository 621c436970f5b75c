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
