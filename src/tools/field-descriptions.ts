type Schema = Readonly<Record<string, unknown>>;

/** A JSON schema with a description for each field, by its path: `todos[].text`. */
export function withDescriptions(
  schema: Schema,
  texts: Readonly<Record<string, string>>,
  path = "",
): Schema {
  const { properties, items } = schema as { properties?: Record<string, Schema>; items?: Schema };
  const description = texts[path];
  return {
    ...schema,
    ...(items && { items: withDescriptions(items, texts, `${path}[]`) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [
          name,
          withDescriptions(field, texts, path === "" ? name : `${path}.${name}`),
        ]),
      ),
    }),
    ...(description !== undefined && { description }),
  };
}
