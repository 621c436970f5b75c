// Links the SDKs of scripts/packages/sdk into node_modules, downloaded on first use: types, tests and examples find them there.
import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installPackages, lockedPackages } from "./install-packages.mjs";

const modules = fileURLToPath(new URL("../node_modules", import.meta.url));

export async function linkSdks() {
  const files = lockedPackages("sdk");
  const place = await installPackages("sdk", files);
  for (const name of Object.keys(JSON.parse(files["package.json"]).dependencies))
    link(join(place, "node_modules", name), join(modules, name));
}

/** Replaces what is there in one step: other processes may be using it. */
function link(target, path) {
  if (leadsTo(path, target)) return;
  mkdirSync(dirname(path), { recursive: true });
  const aside = `${path}.${process.pid}`;
  symlinkSync(target, aside, "junction");
  try {
    renameSync(aside, path);
  } catch {
    // A real directory, from before the SDKs were downloaded on demand.
    rmSync(path, { recursive: true, force: true });
    renameSync(aside, path);
  }
}

function leadsTo(path, target) {
  try {
    return realpathSync(path) === realpathSync(target);
  } catch {
    return false;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await linkSdks();
  } catch (error) {
    console.error(`Types were not checked. ${error.message}`);
    process.exitCode = 3;
  }
}
