// npm run release -- --dry-run: everything of a release but publishing. Without --dry-run, also publishes, which needs the
// identity of the release workflow (provenance).
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { namesPlaceholder } from "./pack.mjs";
import { billOfMaterials } from "./sbom.mjs";

const PLUGIN = "plugins/opencode";
const PUBLISH = ["--provenance", "--access", "public"];
/** Tests that take long or need the registry. */
const LONG = ["test", "test:peers", "test:sdk", "test:nodes"];

/** Why a release of this checkout would be wrong. `git` answers with the output of a command. */
export function obstacles({ read, git, tag }) {
  const pkg = JSON.parse(read("package.json"));
  const lock = JSON.parse(read("package-lock.json"));
  const heading = /^## (.+)$/m.exec(read("CHANGELOG.md"))?.[1] ?? "nothing";
  const changed = git("status", "--porcelain").trim();
  return [
    ...(changed === "" ? [] : [`The working tree has changes:\n${changed}`]),
    ...(new RegExp(`^${pkg.version.replaceAll(".", "\\.")}(?:, \\d{4}-\\d{2}-\\d{2})?$`).test(
      heading,
    )
      ? []
      : [`CHANGELOG.md starts with "${heading}" instead of "${pkg.version}, DATE".`]),
    ...(lock.version === pkg.version
      ? []
      : [`package-lock.json has version ${lock.version}, package.json ${pkg.version}.`]),
    ...(tag === undefined || tag === `v${pkg.version}`
      ? []
      : [`The tag is ${tag}, the version ${pkg.version}.`]),
    ...(namesPlaceholder(pkg)
      ? ["package.json still names OWNER as the owner of the repository."]
      : []),
  ];
}

function main() {
  const { values } = parseArgs({
    options: {
      "dry-run": { type: "boolean", default: false },
      "skip-tests": { type: "boolean", default: false },
      out: { type: "string", default: "release" },
    },
  });
  const dryRun = values["dry-run"];
  const tag = process.env.GITHUB_REF_TYPE === "tag" ? process.env.GITHUB_REF_NAME : undefined;
  const found = obstacles({
    read: (path) => readFileSync(path, "utf8"),
    git: (...args) => run("git", args, { quiet: true }),
    tag,
  });
  for (const line of found)
    console.log(`${dryRun ? "would stop the release" : "stops the release"}: ${line}`);
  if (found.length > 0 && !dryRun) process.exit(1);

  step("check", () => run("npm", ["run", "check"]));
  step("check:package", () => run("npm", ["run", "check:package"]));
  for (const name of LONG)
    if (values["skip-tests"]) console.log(`not run: npm run ${name} (--skip-tests)`);
    else step(name, () => run("npm", ["run", name]));
  step("build", () => run("npm", ["run", "build"]));

  const out = resolve(values.out);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const packed = [".", PLUGIN].map((folder) => step(`pack ${folder}`, () => pack(folder, out)));
  const sbom = join(out, "sbom.cdx.json");
  step("sbom", () => {
    const bill = billOfMaterials({ time: new Date().toISOString(), serial: randomUUID() });
    writeFileSync(sbom, `${JSON.stringify(bill, null, 2)}\n`);
    return `${bill.components.length} components`;
  });
  step("install into an empty project and start", () => install(join(out, packed[0].filename)));

  console.log(`\n${dryRun ? "Would publish" : "Publishes"}:`);
  for (const { name, version, size, entryCount, integrity, filename } of packed) {
    console.log(`  ${name}@${version}  ${size} bytes, ${entryCount} files, ${integrity}`);
    console.log(`    npm publish ${filename} ${PUBLISH.join(" ")}`);
  }
  console.log(
    `  provenance: yes, by the identity of the release workflow\n  bill of materials: ${sbom}`,
  );
  if (dryRun)
    return console.log(`Nothing was published. ${found.length} problems would stop the release.`);
  for (const { filename } of packed) run("npm", ["publish", join(out, filename), ...PUBLISH]);
}

function step(name, work) {
  const start = performance.now();
  const result = work();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(
    `ok: ${name} (${seconds} s)${typeof result === "string" && !result.includes("\n") && result !== "" ? `: ${result}` : ""}`,
  );
  return result;
}

function pack(folder, out) {
  const args = ["pack", "--json", "--pack-destination", out, "--loglevel=error"];
  return JSON.parse(run("npm", args, { cwd: folder, quiet: true }))[0];
}

/** Installs the packed package where nothing else is, and uses it once. Returns its version. */
function install(tarball) {
  const empty = mkdtempSync(join(tmpdir(), "waymark-release-"));
  const env = {
    ...process.env,
    HOME: empty,
    USERPROFILE: empty,
    WAYMARK_HOME: join(empty, "home"),
  };
  const quiet = { cwd: empty, env, quiet: true };
  try {
    run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", tarball], {
      ...quiet,
      env: process.env,
    });
    const waymark = (...args) => run("npx", ["--no-install", "waymark", ...args], quiet);
    waymark("todo", "add", "Started", "--session", "release");
    if (!waymark("todos", "--session", "release").includes("Started"))
      throw new Error("The installed program does not show its list.");
    return waymark("--version").trim();
  } finally {
    rmSync(empty, { recursive: true, force: true });
  }
}

/** Returns what a program printed; prints it and ends if it fails. */
function run(command, args, { cwd, env, quiet = false } = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    env: env ?? process.env,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === "win32",
    stdio: ["ignore", "pipe", quiet ? "pipe" : "inherit"],
  });
  if (status === 0) return stdout;
  console.error(
    `${command} ${args.join(" ")} failed.\n${stdout ?? ""}${stderr ?? ""}${error ?? ""}`,
  );
  process.exit(1);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  process.chdir(fileURLToPath(new URL("..", import.meta.url)));
  main();
}
