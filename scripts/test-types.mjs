// npm run test:types: compiles every entry of the package, declarations included, with each TypeScript that users have, in
// each way of resolving modules. The compilers come from the download cache.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  compile,
  importAll,
  linkPackage,
  MODULES,
  makeConsumer,
  PEERS,
  STRICT,
} from "./check-types.mjs";
import { exactPackages, installPackages } from "./install-packages.mjs";
import { entries } from "./types.mjs";

const VERSIONS = ["5.9.3", "6.0.3", "7.0.2"];

const dir = mkdtempSync(join(tmpdir(), "waymark-types-"));
let failures = 0;
try {
  makeConsumer(dir);
  const alone = entries().flatMap(({ name }) => (name in PEERS ? [] : name));
  const compilers = [];
  for (const version of VERSIONS) {
    const place = await installPackages(
      `typescript-${version}`,
      exactPackages({ typescript: version }),
    );
    compilers.push({ version, tsc: join(place, "node_modules/typescript/bin/tsc") });
  }
  check("without other packages", alone, compilers);
  for (const name of Object.values(PEERS).flat()) linkPackage(dir, name);
  check("beside their packages", Object.keys(PEERS), compilers);
} catch (error) {
  console.error(error.message);
  failures = -1;
} finally {
  rmSync(dir, { recursive: true, force: true });
}
process.exitCode = failures === -1 ? 3 : Math.min(failures, 1);

function check(what, names, compilers) {
  for (const { version, tsc } of compilers)
    for (const [mode, options] of Object.entries(MODULES)) {
      const errors = compile(dir, importAll(names), { ...options, ...STRICT }, tsc);
      if (errors !== "") failures++;
      console.log(`${errors === "" ? "ok    " : "FAILED"} TypeScript ${version}, ${mode}: ${what}`);
      if (errors !== "") console.log(errors);
    }
}
