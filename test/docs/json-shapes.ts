import { readFileSync } from "node:fs";

interface Field {
  readonly name: string;
  readonly type: string;
  readonly isOptional: boolean;
}

export type Shapes = ReadonlyMap<string, readonly Field[]>;

/** The shapes of docs/reference/json.md by the headings above their tables. */
export function shapesOf(file: string): Shapes {
  const shapes = new Map<string, Field[]>();
  let heading = "";
  for (const line of readFileSync(file, "utf8").split("\n")) {
    const [, title] = /^#+ (.+)$/.exec(line) ?? [];
    if (title !== undefined) heading = title;
    const [, base] = /^All fields of \[(\w+)\]/.exec(line) ?? [];
    if (base !== undefined) shapes.set(heading, [...(shapes.get(base) ?? [])]);
    const [, name, optional, type] = /^\| `(\w+)(\??)` \| `([^`]+)` \|/.exec(line) ?? [];
    if (name === undefined || type === undefined) continue;
    const fields = shapes.get(heading) ?? [];
    fields.push({ name, type, isOptional: optional === "?" });
    shapes.set(heading, fields);
  }
  return shapes;
}

const SIMPLE: Readonly<Record<string, (value: unknown) => boolean>> = {
  any: () => true,
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  ms: (value) => typeof value === "number",
  time: (value) => typeof value === "string" && /^\d{4}-\d\d-\d\dT.*Z$/.test(value),
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  null: (value) => value === null,
};

/** The differences between a value and its documented type; empty if it fits. */
export function misfits(shapes: Shapes, type: string, value: unknown, path = type): string[] {
  const types = type.split(" or ");
  if (types.length > 1) {
    const found = types.map((each) => misfits(shapes, each, value, path));
    return found.find((each) => each.length === 0) ?? found[0] ?? [];
  }
  if (type.endsWith("[]")) {
    if (!Array.isArray(value)) return [`${path} is no array`];
    return value.flatMap((each, n) => misfits(shapes, type.slice(0, -2), each, `${path}[${n}]`));
  }
  const fits = SIMPLE[type];
  if (fits) return fits(value) ? [] : [`${path} is no ${type}: ${JSON.stringify(value)}`];
  const shape = shapes.get(type);
  if (!shape) return [`${path}: ${type} is not documented`];
  if (!SIMPLE.object?.(value)) return [`${path} is not an object: ${JSON.stringify(value)}`];
  const given = value as Readonly<Record<string, unknown>>;
  const known = new Set(shape.map(({ name }) => name));
  return [
    ...Object.keys(given)
      .filter((name) => !known.has(name))
      .map((name) => `${path}.${name} is not documented`),
    ...shape.flatMap(({ name, type: of, isOptional }) => {
      if (given[name] === undefined) return isOptional ? [] : [`${path}.${name} is missing`];
      return misfits(shapes, of, given[name], `${path}.${name}`);
    }),
  ];
}
