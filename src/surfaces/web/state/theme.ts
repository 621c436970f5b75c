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
  // The frame of an installed page has the color of the page. Each element is for one color scheme of the system.
  for (const meta of document.querySelectorAll<HTMLMetaElement>("meta[name=theme-color]"))
    meta.content = FRAME_COLORS[theme === "system" ? schemeOf(meta) : theme];
}

/** The background colors of `styles/tokens.css`. */
const FRAME_COLORS = { light: "#f7f7f5", dark: "#0f1012" };

function schemeOf({ media }: HTMLMetaElement): keyof typeof FRAME_COLORS {
  return media.includes("dark") ? "dark" : "light";
}
