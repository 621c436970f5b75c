import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { type LoadedDefinitions, loadCommands } from "../../scripts/reference-cli.mjs";
import { configSchema, withSettingsTable } from "../../scripts/reference-config.mjs";
import { SETTINGS } from "../../src/config/settings.ts";
import { examplesOf } from "../config/settings.ts";

const PAGE = "docs/reference/configuration.md";
const SCHEMA = "docs/reference/config.schema.json";

let definitions: LoadedDefinitions;
beforeAll(async () => {
  definitions = await loadCommands(".");
});

describe("the reference of settings", () => {
  test("is generated: `npm run docs` writes it", () => {
    const page = readFileSync(PAGE, "utf8");
    expect(page).toBe(withSettingsTable(page, definitions));
    expect(JSON.parse(readFileSync(SCHEMA, "utf8"))).toEqual(configSchema(definitions));
    for (const { key, variable } of SETTINGS)
      expect(page).toContain(`| \`${key}\` | \`${variable}\` |`);
  });

  test("names the settings of projects", () => {
    const page = readFileSync(PAGE, "utf8");
    const [sentence = ""] = /Its file can only set[^.]*\./.exec(page) ?? [];
    const named = [...sentence.matchAll(/`([\w-]+)`/g)].map(([, key]) => key);
    expect(named).toEqual(SETTINGS.filter(({ project }) => project).map(({ key }) => key));
  });

  test("has a schema that accepts what the program accepts", () => {
    const properties = configSchema(definitions).properties as Record<string, object>;
    for (const { key, type, environmentOnly } of SETTINGS) {
      expect(Object.hasOwn(properties, key)).toBe(environmentOnly === undefined);
      if (environmentOnly !== undefined) continue;
      for (const [value] of examplesOf(type))
        expect([key, value, fits(properties[key], value)]).toEqual([key, value, true]);
      for (const wrong of [{}, [[1]], 1.5])
        expect([key, fits(properties[key], wrong)]).toEqual([key, false]);
    }
  });
});

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** The keywords that the schema uses. */
function fits(schema: Schema = {}, value: unknown): boolean {
  if (schema.anyOf) return schema.anyOf.some((each) => fits(each, value));
  if (schema.enum) return schema.enum.includes(value);
  if ("const" in schema) return value === schema.const;
  const types = [schema.type ?? []].flat();
  if (Array.isArray(value))
    return types.includes("array") && value.every((each) => fits(schema.items, each));
  if (typeof value === "string")
    return types.includes("string") && new RegExp(schema.pattern ?? "").test(value);
  if (typeof value === "number")
    return (
      (types.includes("number") || (types.includes("integer") && Number.isInteger(value))) &&
      value >= (schema.minimum ?? value) &&
      value <= (schema.maximum ?? value)
    );
  return types.includes(typeof value);
}
