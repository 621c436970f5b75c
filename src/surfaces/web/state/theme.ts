export type Theme = "system" | "light" | "dark";

const KEPT = "waymark-theme";
const NEXT: Readonly<Record<Theme, Theme>> = { system: "light", light: "dark", dark: "system" };

export function keptTheme(): Theme {
  const kept = localStorage.getItem(KEPT);
  return kept === "light" || kept === "dark" ? kept : "system";
}

export function nextTheme(theme: Theme): Theme {
  const next = NEXT[theme];
  localStorage.setItem(KEPT, next);
  return next;
}

export function applyTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
}
