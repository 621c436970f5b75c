/** The text of a message's content: as it is, or of its parts. */
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

/** The input of a call; what is no JSON stays the text that it is. */
export function parsedInput(input: unknown): unknown {
  if (typeof input !== "string") return input;
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}
