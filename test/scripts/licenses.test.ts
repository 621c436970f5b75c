import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { bundledPackages, licenseTexts } from "../../scripts/licenses.mjs";
import { temporaryDirectory } from "../stores/temporary-directory.ts";

interface Package {
  readonly files?: Readonly<Record<string, string>>;
  readonly about?: object;
}

/** A project with packages by their directory below it, such as `node_modules/a`. */
function project(packages: Readonly<Record<string, Package>>, entry: string): string {
  const root = realpathSync(temporaryDirectory());
  for (const [directory, { files = {}, about = {} }] of Object.entries(packages)) {
    const place = join(root, directory);
    mkdirSync(place, { recursive: true });
    const name = directory.split("node_modules/").at(-1);
    const metadata = { name, version: "1.0.0", license: "MIT", main: "index.js", ...about };
    writeFileSync(join(place, "package.json"), JSON.stringify(metadata));
    const all = { "index.js": `export default "${directory}";`, ...files };
    for (const [file, text] of Object.entries(all)) writeFileSync(join(place, file), text);
  }
  writeFileSync(join(root, "entry.js"), entry);
  return root;
}

async function textsOf(root: string): Promise<string> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["entry.js"],
    outdir: "out",
    bundle: true,
    write: false,
    format: "esm",
    metafile: true,
  });
  return licenseTexts(bundledPackages([metafile]).map((directory) => join(root, directory)));
}

describe("the licenses of a bundle", () => {
  test("are those of every package and version in it, and of no other", async () => {
    const root = project(
      {
        "node_modules/b": {
          files: {
            "index.js": 'import a from "a"; export default a;',
            "LICENSE.md": "Text of b\r\n",
          },
        },
        "node_modules/b/node_modules/a": {
          files: { LICENCE: "Text of a 2" },
          about: { version: "2.0.0" },
        },
        "node_modules/a": { files: { LICENSE: "Text of a 1", NOTICE: "Notice of a 1" } },
        "node_modules/@scope/c": { files: { "license.txt": "Text of c" } },
        "node_modules/unused": {
          files: { LICENSE: "Text of unused", "index.js": "export const unused = 1;" },
          about: { sideEffects: false },
        },
      },
      `import a from "a"; import b from "b"; import c from "@scope/c"; import { unused } from "unused";
       console.log(a, b, c);`,
    );
    const texts = await textsOf(root);
    const sections = texts.split(`\n\n${"-".repeat(80)}\n\n`).slice(1);
    expect(sections.map((section) => section.trimEnd())).toEqual([
      "@scope/c 1.0.0 (MIT)\n\nText of c",
      "a 1.0.0 (MIT)\n\nText of a 1\n\nNotice of a 1",
      "a 2.0.0 (MIT)\n\nText of a 2",
      "b 1.0.0 (MIT)\n\nText of b",
    ]);
    expect(await textsOf(root)).toBe(texts);
  });

  test("come from the README or the metadata of a package without a license file", async () => {
    const granted = "Copyright (c) ann\n\nPermission is hereby granted, free of charge.";
    const root = project(
      {
        "node_modules/a": {
          files: { "README.md": `# a\n\n## License\n\n${granted}\n\n## More\n` },
        },
        "node_modules/b": {
          files: { "README.md": "## License\n\nMIT\n" },
          about: { author: "bob" },
        },
      },
      'import a from "a"; import b from "b"; console.log(a, b);',
    );
    const texts = await textsOf(root);
    expect(texts).toContain(`a 1.0.0 (MIT)\n\n${granted}\n\n---`);
    expect(texts).toMatch(
      /b 1\.0\.0 \(MIT\)\n\nMIT License\n\nCopyright \(c\) bob\n\nPermission is /,
    );
  });

  test("stop the build when a package has none", async () => {
    const about = { author: "ann", license: "Apache-2.0" };
    const root = project({ "node_modules/a": { about } }, 'import a from "a"; console.log(a);');
    await expect(textsOf(root)).rejects.toThrow(
      "a 1.0.0 is bundled, but no license text was found",
    );
  });
});

test("the program ships the license of every package that its source imports", () => {
  const shipped = readFileSync("THIRD_PARTY_LICENSES", "utf8");
  const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => readFileSync(join("src", file), "utf8"));
  const imported = new Set<string>();
  for (const source of sources)
    for (const [, name = ""] of source.matchAll(
      /^(?:import (?!type )[^;]*? from |import |export [^;]*? from |.*\bimport\()"((?:@[\w-]+\/)?[a-z][\w-]*)(?:\/[^"]*)?"/gm,
    ))
      imported.add(name);
  // Not part of any bundle.
  for (const name of [
    "libsql",
    "vitest",
    "vscode",
    "ai",
    "ink",
    "react",
    "@agentclientprotocol/sdk",
  ])
    imported.delete(name);
  // One of every bundle.
  const some = ["@modelcontextprotocol/server", "pg", "preact", "zod"];
  expect([...imported]).toEqual(expect.arrayContaining(some));
  for (const name of imported) {
    const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
    expect(shipped).toContain(`\n\n${name} ${version} (`);
    const file =
      readdirSync(`node_modules/${name}`).find((each) => /^licen[cs]e/i.test(each)) ?? "";
    const text = readFileSync(`node_modules/${name}/${file}`, "utf8").replace(/\r\n?/g, "\n");
    expect(shipped).toContain(text.trim());
  }
});
