// The license texts of the packages whose code is part of the bundles.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

/**
 * The directories of the packages that esbuild's metafiles name, sorted. Only inputs that left code
 * in an output count, because unused code is removed and not shipped.
 */
export function bundledPackages(metafiles) {
  const packages = new Set();
  for (const { outputs } of metafiles)
    for (const { inputs } of Object.values(outputs))
      for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
        const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
        if (found !== undefined && bytesInOutput > 0) packages.add(found);
      }
  return [...packages].sort();
}

/** One section for each package and version, the same on every machine. Throws where a package has no license text. */
export function licenseTexts(directories) {
  const sections = new Map();
  for (const directory of directories) {
    const about = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
    const title = `${about.name} ${about.version}`;
    const text = licenseFiles(directory) || fromReadme(directory) || fromMetadata(about);
    if (!text)
      throw new Error(`${title} is bundled, but no license text was found in ${directory}.`);
    sections.set(title, `${title} (${about.license})\n\n${text}`);
  }
  const all = [...sections].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  return `${["Waymark contains code of the following packages.", ...all].join(RULE)}\n`;
}

const RULE = `\n\n${"-".repeat(80)}\n\n`;

function licenseFiles(directory) {
  const files = readdirSync(directory).filter((file) => LICENSE_FILE.test(file));
  return files
    .sort()
    .map((file) => readText(join(directory, file)))
    .join("\n\n");
}

/** Some packages have their license only there. */
function fromReadme(directory) {
  const file = readdirSync(directory).find((name) => /^readme\.md$/i.test(name));
  const text = file && readText(join(directory, file));
  const section = text?.split(/^#+ */m).find((each) => /^licen[cs]e/i.test(each));
  return section?.includes("Permission") ? section.slice(section.indexOf("\n")).trim() : undefined;
}

/** The MIT license text is always the same; Waymark's own file has it. */
function fromMetadata({ license, author }) {
  const holder = typeof author === "object" ? author.name : author;
  if (license !== "MIT" || !holder) return undefined;
  return readText(new URL("../LICENSE", import.meta.url)).replace(
    /^Copyright.*$/m,
    () => `Copyright (c) ${holder}`,
  );
}

function readText(file) {
  return readFileSync(file, "utf8").replace(/\r\n?/g, "\n").trim();
}
