import { forHtml, forTerminal } from "../../core/text/escape.ts";

/** HTML that was built by `markup`, so everything external in it is escaped. */
export interface Markup {
  readonly html: string;
}

type Value = string | number | Markup | readonly Markup[];

/** A template for HTML: strings are escaped, markup is inserted. */
export function markup(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  let html = parts[0] ?? "";
  for (const [index, value] of values.entries()) html += encode(value) + (parts[index + 1] ?? "");
  return { html };
}

function encode(value: Value): string {
  if (typeof value === "number") return String(value);
  // Invisible and bidirectional characters are shown, so a text cannot hide or reorder the words beside it.
  if (typeof value === "string") return forHtml(forTerminal(value));
  return isList(value) ? value.map(({ html }) => html).join("") : value.html;
}

function isList(value: Markup | readonly Markup[]): value is readonly Markup[] {
  return Array.isArray(value);
}

export const NOTHING: Markup = { html: "" };
