// npm run check:package: what publint and "are the types wrong" say of the packed package. Both are downloaded on first
// use. The package has ES modules only, so attw's findings for CommonJS and for resolution without `exports` are left
// out (profile esm-only): Node loads the modules with `require` from 20.19 on, and TypeScript needs module resolution
// node16, nodenext or bundler.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installPackages, lockedPackages } from "./install-packages.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const place = mkdtempSync(join(tmpdir(), "waymark-check-"));
process.on("exit", () => rmSync(place, { recursive: true, force: true }));

let tools;
try {
  tools = join(
    await installPackages("package-checks", lockedPackages("package-checks")),
    "node_modules",
  );
} catch (error) {
  console.error(`The package was not checked. ${error.message}`);
  process.exit(3);
}

const packed = run("npm", ["pack", "--json", "--pack-destination", place, "--loglevel=error"]);
const [{ filename, size, entryCount }] = JSON.parse(packed);
const tarball = join(place, filename);
console.log(`${filename}: ${size} bytes, ${entryCount} files`);
run(process.execPath, [join(tools, "publint/src/cli.js"), tarball, "--strict"]);
console.log("publint: nothing to report");
const attw = join(tools, "@arethetypeswrong/cli/dist/index.js");
run(process.execPath, [attw, tarball, "--profile", "esm-only", "--format", "ascii", "--no-emoji"]);
console.log("are the types wrong: nothing to report");

/** Returns what a program printed; prints it and ends this program if it fails. */
function run(command, args) {
  const { status, stdout } = spawnSync(command, args, {
    cwd: root,
    encoding: "utf8",
    shell: process.platform === "win32" && command === "npm",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status === 0) return stdout;
  console.error(stdout);
  process.exit(status ?? 1);
}
