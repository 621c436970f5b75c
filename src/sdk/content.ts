/** The text of a message's content: a string, or the texts of its parts. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content))
    return content
      .map(textOf)
      .filter((text) => text !== "")
      .join("\n");
  const { text } = (content ?? {}) as { readonly text?: unknown };
  return typeof text === "string" ? text : "";
}

/** Parses the input of a call. Invalid JSON stays a string. */
export function parsedInput(input: unknown): unknown {
  if (typeof input !== "string") return input;
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}
