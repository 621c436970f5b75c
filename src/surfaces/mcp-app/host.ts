import { isObject } from "./bridge.ts";

/** Our tokens, and the variable of the host that replaces each. Colors that mean something stay ours. */
const TOKENS: Readonly<Record<string, string>> = {
  "--surface": "--color-background-primary",
  "--sunken": "--color-background-secondary",
  "--ink": "--color-text-primary",
  "--ink-2": "--color-text-secondary",
  // Hosts dim their third color below what small text needs.
  "--ink-3": "--color-text-secondary",
  "--line": "--color-border-secondary",
  "--line-2": "--color-border-primary",
  "--sans": "--font-sans",
  "--mono": "--font-mono",
};
const MAX_VALUE = 400;

/** Applies the host's theme, colors and fonts. Changes may name a part of them. */
export function applyContext(context: unknown, root: HTMLElement): void {
  if (!isObject(context)) return;
  const { theme, styles } = context;
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  const variables = isObject(styles) && isObject(styles.variables) ? styles.variables : undefined;
  if (!variables) return;
  for (const [token, name] of Object.entries(TOKENS)) {
    const value = variables[name];
    if (isSafe(value)) root.style.setProperty(token, value);
    else root.style.removeProperty(token);
  }
}

/** A value that loads nothing. */
function isSafe(value: unknown): value is string {
  return (
    typeof value === "string" && value.length <= MAX_VALUE && !/url|image|[;{}@\\]/i.test(value)
  );
}
