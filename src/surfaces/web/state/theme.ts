export type Theme = "system" | "light" | "dark";

const STORAGE_KEY = "waymark-theme";
const NEXT: Readonly<Record<Theme, Theme>> = { system: "light", light: "dark", dark: "system" };

export function storedTheme(): Theme {
  const stored = localStorage.getItem(STORAGE_KEY);
  return stored === "light" || stored === "dark" ? stored : "system";
}

export function nextTheme(theme: Theme): Theme {
  const next = NEXT[theme];
  localStorage.setItem(STORAGE_KEY, next);
  return next;
}

export function applyTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
}
