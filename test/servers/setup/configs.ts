import fc from "fast-check";

/** The layout of a JSON file. */
interface Layout {
  readonly eol: string;
  readonly unit: string;
  readonly remarks: boolean;
  readonly trailing: boolean;
  readonly inline: boolean;
  readonly mark: boolean;
  readonly end: boolean;
}

const layout: fc.Arbitrary<Layout> = fc.record({
  eol: fc.constantFrom("\n", "\r\n"),
  unit: fc.constantFrom("  ", "    ", "\t"),
  remarks: fc.boolean(),
  trailing: fc.boolean(),
  inline: fc.boolean(),
  mark: fc.boolean(),
  end: fc.boolean(),
});

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [name: string]: Json };

const name = fc.constantFrom(
  "model",
  "theme",
  "env",
  "permissions",
  "mcp",
  "x-y",
  "ünï",
  "a.b",
  "l",
);

const { value: anyJson } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(null, true, 3, "text", "# no // remark", 'with "quotes"', "{", "]", ""),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3 }),
  ),
}));

function print(value: Json, { eol, unit, remarks, trailing, inline }: Layout, indent = ""): string {
  const list = Array.isArray(value);
  if (!list && (typeof value !== "object" || value === null)) return JSON.stringify(value);
  const parts = list
    ? value.map((each) =>
        print(each, { eol, unit, remarks, trailing, inline } as Layout, indent + unit),
      )
    : Object.entries(value as { readonly [name: string]: Json }).map(
        ([key, each]) =>
          `${JSON.stringify(key)}: ${print(each, { eol, unit, remarks, trailing, inline } as Layout, indent + unit)}`,
      );
  const [open, close] = list ? ["[", "]"] : ["{", "}"];
  if (parts.length === 0) return `${open}${close}`;
  if (inline && indent !== "") return `${open} ${parts.join(", ")} ${close}`;
  const lines = parts.map((part, index) => {
    const comma = index < parts.length - 1 || trailing ? "," : "";
    const remark = remarks && index % 2 === 0 ? ` // remark, "${index}"` : "";
    return `${indent}${unit}${part}${comma}${remark}`;
  });
  const above = remarks ? `${indent}${unit}/* above { */${eol}` : "";
  return `${open}${eol}${above}${lines.join(eol)}${eol}${indent}${close}`;
}

/** A JSON file with this object, in any layout. */
export function jsonTextOf(object: fc.Arbitrary<{ readonly [name: string]: Json }>) {
  return fc
    .tuple(object, layout)
    .map(
      ([value, chosen]) =>
        `${chosen.mark ? "\ufeff" : ""}${print(value, chosen)}${chosen.end ? chosen.eol : ""}`,
    );
}

/** A JSON file with an object, in any layout. */
export const jsonText: fc.Arbitrary<string> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom("", "{}", "{}\n", " { } ", "{\n\n}\n") },
  { weight: 12, arbitrary: jsonTextOf(fc.dictionary(name, anyJson, { maxKeys: 4 })) },
);

const tomlLines = [
  'model = "gpt-5.5"',
  "model_context = 1_000",
  'prompt = """\n[not.a.table]\n# no remark\n"""',
  "literal = '''\n[[hooks.Stop]]\n'''",
  'list = [\n  "a", # one\n  "b",\n]',
  "when = 2026-11-15T10:00:00Z",
  "# a remark of mine",
  "",
];

const tomlTables = [
  '[mcp_servers.other]\ncommand = "x"\nargs = ["[a]", "#b"]',
  '[mcp_servers."with.dot".env]\nKEY = "secret"',
  "[tools]\nweb_search = true",
  "[features]\nhooks = true # keep",
  '[projects."/home/me/x"]\ntrust_level = "trusted"',
  '[[hooks.PostToolUse]]\nmatcher = "Bash"\n[[hooks.PostToolUse.hooks]]\ntype = "command"\ncommand = "mine.sh"',
  '[[hooks.Stop]]\nhooks = [{ type = "command", command = "mine.sh" }]',
];

/** A TOML file, in any layout. */
export const tomlText: fc.Arbitrary<string> = fc
  .record({
    head: fc.uniqueArray(fc.constantFrom(...tomlLines)),
    tables: fc.uniqueArray(fc.constantFrom(...tomlTables)),
    gap: fc.constantFrom("\n", "\n\n", "\n# remark\n", "\n\n\n"),
    crlf: fc.boolean(),
    end: fc.constantFrom("", "\n", "\n\n"),
  })
  .map(({ head, tables, gap, crlf, end }) => {
    const text = [...head, ...tables].join(gap) + end;
    return crlf ? text.replaceAll("\n", "\r\n") : text;
  });
