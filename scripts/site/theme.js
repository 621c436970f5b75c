// Loaded before the page is drawn, so that a chosen theme never flashes.
(() => {
  const key = "waymark-docs-theme";
  const root = document.documentElement;
  const stored = () => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // Storage is blocked.
    }
  };
  const chosen = stored();
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  addEventListener("DOMContentLoaded", () => {
    document.querySelector(".theme").addEventListener("click", () => {
      const isDark = root.dataset.theme
        ? root.dataset.theme === "dark"
        : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = isDark ? "light" : "dark";
      try {
        localStorage.setItem(key, root.dataset.theme);
      } catch {
        // The choice lasts until the next page.
      }
    });
  });
})();
