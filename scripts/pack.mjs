// Prepares the package and cleans up after it: `prepack`, `postpack` and `prepublishOnly` of package.json call it.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isStale } from "./stale.mjs";

const README = "README.md";
/** The README of the checkout while the one of the package is in its place. */
const ASIDE = ".README.md.checkout";
/** In the addresses of package.json until the project has a public home: see CONTRIBUTING.md. */
const PLACEHOLDER = "OWNER";
const PICTURE = /\.(?:png|svg|jpe?g|gif)$/;
const LINK = /(\]\()([^)\s#]+)((?:#[^)\s]*)?\))/g;

const ACTIONS = { before, after, publishable };

/** The text of a README whose relative links to files outside the package lead to the repository. */
export function packedReadme(text, { repository, isPacked }) {
  const [, owner, name] = /github\.com\/([^/]+)\/(.+?)\.git$/.exec(repository.url);
  return text.replace(LINK, (whole, open, target, close) => {
    const path = posix.normalize(target);
    if (/^[a-z]+:/.test(target) || isPacked(path)) return whole;
    const address = PICTURE.test(path)
      ? `https://raw.githubusercontent.com/${owner}/${name}/HEAD/${path}`
      : `https://github.com/${owner}/${name}/blob/HEAD/${path}`;
    return `${open}${address}${close}`;
  });
}

/** Builds what is stale or missing, and puts the README of the package in place. */
function before() {
  if (existsSync(ASIDE)) after();
  if (isStale(".") || !existsSync("dist/index.d.ts")) run(process.execPath, ["scripts/build.mjs"]);
  const [{ files }] = JSON.parse(
    run("npm", ["pack", "--json", "--dry-run", "--ignore-scripts", "--loglevel=error"]),
  );
  const paths = files.map(({ path }) => path);
  const isPacked = (path) => paths.some((each) => each === path || each.startsWith(`${path}/`));
  const text = readFileSync(README, "utf8");
  const packed = packedReadme(text, { repository: packageJson().repository, isPacked });
  renameSync(README, ASIDE);
  writeFileSync(README, packed);
}

/** Puts the README of the checkout back. */
function after() {
  if (existsSync(ASIDE)) renameSync(ASIDE, README);
}

/** Whether a package.json still names the placeholder instead of the owner of the repository. */
export function namesPlaceholder({ repository, homepage, bugs, mcpName }) {
  return JSON.stringify([repository, homepage, bugs, mcpName]).includes(PLACEHOLDER);
}

function publishable() {
  if (!namesPlaceholder(packageJson())) return;
  console.error(
    `package.json still names ${PLACEHOLDER} as the owner of the repository. Replace it before you publish: see CONTRIBUTING.md.`,
  );
  process.exitCode = 1;
}

function packageJson() {
  return JSON.parse(readFileSync("package.json", "utf8"));
}

function run(command, args) {
  const { status, stdout } = spawnSync(command, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    shell: process.platform === "win32",
  });
  if (status !== 0) process.exit(status ?? 1);
  return stdout;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  process.chdir(fileURLToPath(new URL("..", import.meta.url)));
  ACTIONS[process.argv[2]]();
}
