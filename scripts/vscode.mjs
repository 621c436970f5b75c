// npm run vscode: builds the extension for VS Code in dist-vscode. `--package` packs it there as waymark-VERSION.vsix.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { writeAppIcons } from "./app-icons.mjs";
import { installPackages, lockedPackages } from "./install-packages.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path) => readFileSync(join(root, path), "utf8");

/** Writes the extension into a folder, as VS Code loads it. */
export async function buildExtension(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [join(root, "src/surfaces/editor/extension.ts")],
    outfile: join(folder, "extension.js"),
    bundle: true,
    minify: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    external: ["vscode"],
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    logLevel: "error",
  });
  const { version, license, homepage, bugs, repository } = JSON.parse(read("package.json"));
  const manifest = {
    ...JSON.parse(read("plugins/vscode/package.json")),
    version,
    publisher: new URL(homepage).pathname.split("/")[1],
    license,
    homepage,
    bugs,
    repository,
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(join(root, "plugins/vscode/README.md"), join(folder, "README.md"));
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  // The side bar draws the shape of the icon in its own color.
  writeFileSync(join(folder, "view.svg"), read("src/surfaces/web/favicon.svg"));
  writeAppIcons(folder);
  renameSync(join(folder, "icon-192.png"), join(folder, "icon.png"));
  for (const name of ["icon-512.png", "icon-maskable-512.png"]) rmSync(join(folder, name));
  return version;
}

/** Packs a built extension; returns the path of the file. */
export async function packExtension(folder, version) {
  const tools = await installPackages("vscode", lockedPackages("vscode"));
  const file = join(folder, `waymark-${version}.vsix`);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      join(tools, "node_modules/@vscode/vsce/vsce"),
      "package",
      "--no-dependencies",
      "--no-update-package-json",
      "--out",
      file,
    ],
    { cwd: folder, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`vsce ended with ${status}: ${stdout}${stderr}`);
  return file;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { package: { type: "boolean" } } });
  const folder = join(root, "dist-vscode");
  const version = await buildExtension(folder);
  console.log(values.package ? await packExtension(folder, version) : folder);
}
