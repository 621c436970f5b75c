import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { billOfMaterials } from "../../scripts/sbom.mjs";
import { exactly, fields, list, type Rule, text } from "../plugins/shape.ts";

const NPM = text({ pattern: /^pkg:npm\/(?:%40[\w.-]+\/)?[\w.-]+@\d\S*$/ });

/** CycloneDX 1.6 as far as the bill uses it, in our own words; its schema has far more optional fields. */
const component = fields(
  {
    type: exactly("library", "application"),
    "bom-ref": NPM,
    name: text(),
    version: text(),
    purl: NPM,
    licenses: list(
      (value, at) => {
        const either: readonly Rule[] = [
          fields({ license: fields({ id: text({ pattern: /^[\w.-]+$/ }) }) }),
          fields({ expression: text({ pattern: / / }) }),
        ];
        return either.some((rule) => rule(value, at).length === 0) ? [] : [`${at} is no license`];
      },
      { least: 1 },
    ),
  },
  {
    description: text(),
    scope: exactly("required", "optional", "excluded"),
    hashes: list(
      fields({ alg: exactly("SHA-512"), content: text({ pattern: /^[0-9a-f]{128}$/ }) }),
    ),
  },
);
const bill = fields({
  $schema: exactly("http://cyclonedx.org/schema/bom-1.6.schema.json"),
  bomFormat: exactly("CycloneDX"),
  specVersion: exactly("1.6"),
  serialNumber: text({ pattern: /^urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/ }),
  version: exactly(1),
  metadata: fields({ timestamp: text({ pattern: /^\d{4}-\d\d-\d\dT[\d:.]+Z$/ }), component }),
  components: list(component, { least: 1 }),
  dependencies: list(fields({ ref: NPM, dependsOn: list(NPM) }), { least: 1 }),
});

describe("the bill of materials", () => {
  const made = billOfMaterials({
    time: "2026-11-18T20:00:00.000Z",
    serial: "00000000-0000-4000-8000-000000000000",
  });
  const { components } = made;

  it("follows CycloneDX 1.6, and refers to components that it has", () => {
    expect(bill(made, "bill")).toEqual([]);
    expect(bill({ ...made, serialNumber: "1" }, "bill")).not.toEqual([]);
    const refs = components.map((each) => each["bom-ref"]);
    expect(new Set(refs).size).toBe(refs.length);
    const { dependencies, metadata } = JSON.parse(JSON.stringify(made));
    expect(dependencies[0]).toEqual({ ref: metadata.component["bom-ref"], dependsOn: refs });
  });

  it("has every bundled package with its hash, and the optional dependencies", () => {
    const titles = readFileSync("THIRD_PARTY_LICENSES", "utf8").match(/^-{80}$/gm) ?? [];
    const required = components.filter(({ scope }) => scope === undefined);
    expect(required).toHaveLength(titles.length);
    expect(required.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["zod", "preact", "pg"]),
    );
    expect(components.filter(({ hashes }) => hashes === undefined)).toEqual([]);
    expect(components.filter(({ scope }) => scope === "optional").map(({ name }) => name)).toEqual([
      "libsql",
    ]);
  });

  it("has no package that is only for development", () => {
    const names = components.map(({ name }) => name);
    for (const name of ["typescript", "vitest", "esbuild", "knip"])
      expect(names).not.toContain(name);
  });
});
