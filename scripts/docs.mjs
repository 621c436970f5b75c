// npm run docs: writes the generated pages of docs/, then the documentation as HTML into dist-docs/.
// `npm run docs -- --site` writes the HTML alone.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { referencePages } from "./reference.mjs";
import { cliReference, loadCommands } from "./reference-cli.mjs";
import { configSchema, withSettingsTable } from "./reference-config.mjs";
import { loadMcp, mcpReference } from "./reference-mcp.mjs";
import { writeSite } from "./site.mjs";
import { entries, writeTypes } from "./types.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

if (process.argv.includes("--site") || (await writeReference())) {
  const site = join(root, "dist-docs");
  const count = writeSite(root, site);
  const start = join(site, "index.html");
  console.log(`${count} pages in ${relative(process.cwd(), site)}: ${pathToFileURL(start)}`);
}

/** Writes the pages of commands, MCP tools and the API. Returns false if the sources do not compile. */
async function writeReference() {
  const pages = join(root, "docs/reference");
  const definitions = await loadCommands(root);
  writeFileSync(join(pages, "cli.md"), cliReference(definitions));
  const settings = join(pages, "configuration.md");
  writeFileSync(settings, withSettingsTable(readFileSync(settings, "utf8"), definitions));
  const schema = `${JSON.stringify(configSchema(definitions), undefined, 2)}\n`;
  writeFileSync(join(pages, "config.schema.json"), schema);
  const build = ["scripts/build.mjs", "--no-types", "--if-stale"];
  const { status } = spawnSync(process.execPath, build, { cwd: root, stdio: "inherit" });
  if (status !== 0) return false;
  writeFileSync(join(pages, "mcp.md"), mcpReference(loadMcp(root)));
  return writeApi();
}

/** Writes docs/api from the declarations of the package. */
function writeApi() {
  const target = join(root, "docs/api");
  const dir = mkdtempSync(join(tmpdir(), "waymark-docs-"));
  try {
    process.exitCode = writeTypes(dir, { isShared: false });
    if (process.exitCode !== 0) return false;
    const bundles = entries().map(({ name, file }) => ({
      name,
      file,
      text: readFileSync(join(dir, file), "utf8"),
    }));
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
    for (const [name, page] of Object.entries(referencePages(bundles)))
      writeFileSync(join(target, name), page);
    return true;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
