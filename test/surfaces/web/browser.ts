import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium as playwright } from "playwright-core";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A real browser: the machine's own, else the one that comes with the packages. */
export async function openChromium(): Promise<Browser> {
  const system = systemBrowser();
  if (system !== undefined) return playwright.launch({ executablePath: system, args: FLAGS });
  const { default: packed } = await import("@sparticuz/chromium");
  const executablePath = await packed.executablePath();
  const place = mkdtempSync(join(tmpdir(), "waymark-fonts-"));
  const browser = await playwright.launch({ executablePath, args: FLAGS, env: withFonts(place) });
  browser.on("disconnected", () => rmSync(place, { recursive: true, force: true }));
  return browser;
}

function systemBrowser(): string | undefined {
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    const found = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" });
    if (found.status === 0) return found.stdout.trim();
  }
  return undefined;
}

/** The packed browser brings a typeface; without it, text is drawn in whatever there is. */
function withFonts(place: string): Record<string, string> {
  const env = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
  const fonts = join(tmpdir(), "fonts", "fonts");
  if (!existsSync(fonts)) return env;
  const alias = (family: string, font: string) =>
    `<alias binding="same"><family>${family}</family><prefer><family>${font}</family></prefer></alias>`;
  const file = join(place, "fonts.conf");
  writeFileSync(
    file,
    `<?xml version="1.0"?><fontconfig><dir>${fonts}</dir><dir>/usr/share/fonts</dir><cachedir>${place}</cachedir>${alias("system-ui", "Open Sans")}${alias("sans-serif", "Open Sans")}</fontconfig>`,
  );
  return { ...env, FONTCONFIG_FILE: file };
}
