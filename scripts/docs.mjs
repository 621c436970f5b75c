// npm run docs: writes the API reference into docs/api.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { referencePages } from "./reference.mjs";
import { entries, writeTypes } from "./types.mjs";

const target = fileURLToPath(new URL("../docs/api", import.meta.url));
const dir = mkdtempSync(join(tmpdir(), "waymark-docs-"));
try {
  process.exitCode = writeTypes(dir);
  if (process.exitCode === 0) {
    const bundles = entries().map(({ name, file }) => ({
      name,
      file,
      text: readFileSync(join(dir, file), "utf8"),
    }));
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
    for (const [name, page] of Object.entries(referencePages(bundles)))
      writeFileSync(join(target, name), page);
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}
