// Starts a real browser for tests, benchmarks and screenshots: the machine's own, or a downloaded one.
import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { chromium as playwright } from "playwright-core";
import { installPackages, lockedPackages } from "./install-packages.mjs";

const UNPACKED = "browser";
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export async function openChromium() {
  const { executablePath, libraries, fonts } = await browserProgram();
  const env = { ...process.env, ...libraries };
  if (fonts === undefined) return playwright.launch({ executablePath, args: FLAGS, env });
  const dir = mkdtempSync(join(tmpdir(), "waymark-fonts-"));
  const FONTCONFIG_FILE = writeFontConfig(dir, fonts);
  const launched = playwright.launch({
    executablePath,
    args: FLAGS,
    env: { ...env, FONTCONFIG_FILE },
  });
  const browser = await launched.catch((error) => {
    rmSync(dir, { recursive: true, force: true });
    throw error;
  });
  browser.on("disconnected", () => rmSync(dir, { recursive: true, force: true }));
  return browser;
}

/** Finds or downloads the browser. Returns its path, the environment for libraries that this machine lacks, and fonts. */
export async function browserProgram() {
  const system = systemBrowser();
  if (system !== undefined) return { executablePath: system, libraries: {} };
  if (process.platform !== "linux" || process.arch !== "x64")
    throw new Error("install Chromium or Chrome; only Linux on x64 can download one");
  const place = await installPackages("browser", lockedPackages("browser"), { finish: unpack });
  const executablePath = join(place, UNPACKED, "chromium");
  const bundled = { LD_LIBRARY_PATH: join(place, UNPACKED, "al2023", "lib") };
  const fonts = join(place, UNPACKED, "fonts", "fonts");
  const failures = [];
  for (const libraries of [{}, bundled]) {
    const env = { ...process.env, ...libraries };
    const tried = spawnSync(executablePath, ["--version"], { env, encoding: "utf8" });
    if (tried.status === 0) return { executablePath, libraries, fonts };
    failures.push(tried.error?.message ?? tried.stderr.trim());
  }
  throw new Error(`the browser does not start: ${failures.join("; ")}`);
}

/** The package unpacks into the temporary directory, so it gets a private one below the cache. */
async function unpack(dir) {
  const target = join(dir, UNPACKED);
  mkdirSync(target, 0o700);
  const modules = join(dir, "node_modules");
  const script = `
    const { default: chromium, inflate } = await import("@sparticuz/chromium");
    await chromium.executablePath();
    await inflate("node_modules/@sparticuz/chromium/bin/al2023.tar.br");`;
  await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
    cwd: dir,
    env: { ...process.env, TMPDIR: target },
  });
  rmSync(modules, { recursive: true });
}

function systemBrowser() {
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    const found = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" });
    if (found.status === 0) return found.stdout.trim();
  }
  return undefined;
}

/** Uses the font of the downloaded browser, so that text does not depend on the machine. */
function writeFontConfig(dir, fonts) {
  const alias = (family, font) =>
    `<alias binding="same"><family>${family}</family><prefer><family>${font}</family></prefer></alias>`;
  const file = join(dir, "fonts.conf");
  writeFileSync(
    file,
    `<?xml version="1.0"?><fontconfig><dir>${fonts}</dir><dir>/usr/share/fonts</dir><cachedir>${dir}</cachedir>${alias("system-ui", "Open Sans")}${alias("sans-serif", "Open Sans")}</fontconfig>`,
  );
  return file;
}
