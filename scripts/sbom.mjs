// The software bill of materials of the package as CycloneDX JSON. `npm sbom` lists what is installed; most of that is
// for development, and the packages whose code is part of the bundles are among it. So the components are the packages
// that THIRD_PARTY_LICENSES names, with versions and hashes of package-lock.json, and the optional dependencies.
import { readFileSync } from "node:fs";

const TITLE = /^(\S+) (\d\S*) \((.+)\)$/gm;

/** The bill of materials of a checkout that is built. `time` and `serial` make it unique. */
export function billOfMaterials({ time, serial }) {
  const pkg = JSON.parse(readFileSync("package.json", "utf8"));
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
  const bundled = [...readFileSync("THIRD_PARTY_LICENSES", "utf8").matchAll(TITLE)].map(
    ([, name, version, license]) =>
      componentOf({ name, version, license, locked: lockedAt(packages, name, version) }),
  );
  const optional = Object.keys(pkg.optionalDependencies).map((name) => {
    const locked = packages[`node_modules/${name}`];
    const { version, license } = locked;
    return { ...componentOf({ name, version, license, locked }), scope: "optional" };
  });
  const { version, license, description } = pkg;
  const root = {
    ...componentOf({ name: pkg.name, version, license }),
    type: "application",
    description,
  };
  const components = [...bundled, ...optional].sort((a, b) => (a.purl < b.purl ? -1 : 1));
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${serial}`,
    version: 1,
    metadata: { timestamp: time, component: root },
    components,
    dependencies: [
      { ref: root["bom-ref"], dependsOn: components.map((each) => each["bom-ref"]) },
      ...components.map((each) => ({ ref: each["bom-ref"], dependsOn: [] })),
    ],
  };
}

/** The entry of a package in the lock file: nested ones have the path of their parents. */
function lockedAt(packages, name, version) {
  const found = Object.entries(packages).find(
    ([path, each]) => path.endsWith(`node_modules/${name}`) && each.version === version,
  );
  if (!found)
    throw new Error(`${name} ${version} is bundled, but package-lock.json does not have it.`);
  return found[1];
}

function componentOf({ name, version, license, locked }) {
  const purl = `pkg:npm/${name.replace(/^@/, "%40")}@${version}`;
  const [algorithm, hash] = locked?.integrity?.split("-", 2) ?? [];
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version,
    purl,
    licenses: [/ /.test(license) ? { expression: license } : { license: { id: license } }],
    ...(algorithm === "sha512" && {
      hashes: [{ alg: "SHA-512", content: Buffer.from(hash, "base64").toString("hex") }],
    }),
  };
}
