// The table of settings in docs/reference/configuration.md and the JSON schema of configuration files.
const START = "<!-- settings, written by `npm run docs` -->";
const END = "<!-- end of settings -->";

/** The page with the present table. */
export function withSettingsTable(page, { SETTINGS }) {
  const rows = SETTINGS.map(
    ({ key, variable, summary, default: usual = "", project, environmentOnly }) => {
      const where = environmentOnly ? "environment only" : project ? "user, project" : "user";
      return `| \`${key}\` | \`${variable}\` | ${cell(summary)} | ${cell(usual)} | ${where} |`;
    },
  );
  const head = "| key | variable | | default | files |\n|---|---|---|---|---|";
  const [before, rest] = page.split(START);
  const [, after] = rest.split(END);
  return `${before}${START}\n\n${head}\n${rows.join("\n")}\n\n${END}${after}`;
}

function cell(text) {
  return text.replaceAll("|", "\\|");
}

/** A JSON schema of the user's file. Editors report unknown keys and wrong types. */
export function configSchema({ SETTINGS, commands }) {
  const properties = {};
  for (const setting of SETTINGS)
    if (!setting.environmentOnly)
      properties[setting.key] = { description: describe(setting), ...schemaOf(setting.type) };
  for (const { table, options } of commands) {
    let at = properties;
    for (const name of table) {
      at[name] ??= { type: "object", additionalProperties: false, properties: {} };
      at = at[name].properties;
    }
    for (const [name, option] of Object.entries(options))
      at[name] = { description: describe(option), ...optionSchema(option) };
  }
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Configuration of Waymark",
    type: "object",
    additionalProperties: false,
    properties,
  };
}

function describe({ summary, default: usual }) {
  return usual === undefined ? summary : `${summary} (default: ${usual})`;
}

const WORDS = { type: "string", pattern: "^[^\\u0000-\\u001f]*$" };
const DURATION = { type: "string", pattern: "^(\\d+(ms|[smhd]))+$" };

function schemaOf(type) {
  switch (type.is) {
    case "boolean":
      return { type: "boolean" };
    case "integer":
      return { type: "integer", minimum: type.least, maximum: type.most };
    case "choice":
      return { enum: [...type.of] };
    case "choices":
      return { anyOf: [{ type: "array", items: { enum: [...type.of] } }, WORDS] };
    case "texts":
      return { anyOf: [{ type: "array", items: WORDS }, WORDS] };
    case "duration": {
      const more = [
        ...(type.off ? [{ const: "off" }] : []),
        ...(type.seconds
          ? [
              { type: "integer", minimum: 0 },
              { type: "string", pattern: "^\\d+$" },
            ]
          : []),
      ];
      return more.length === 0 ? DURATION : { anyOf: [DURATION, ...more] };
    }
    default:
      return WORDS;
  }
}

function optionSchema({ type, repeatable, implied }) {
  if (type === "boolean") return { type: "boolean" };
  const one = { type: ["string", "number"] };
  if (repeatable) return { anyOf: [{ type: "array", items: one }, one] };
  return {
    anyOf: [
      one,
      { type: "array", items: one },
      ...(implied === undefined ? [] : [{ const: true }]),
    ],
  };
}
