/**
 * Whether OpenAI's strict mode accepts a schema unchanged: every object is closed and all its fields are required.
 * Optional fields would have to become nullable, and the model would have to send null in every call.
 */
export function isStrictSchema(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return true;
  if (Array.isArray(schema)) return schema.every(isStrictSchema);
  const { type, properties, required, additionalProperties } = schema as Record<string, unknown>;
  if (type === "object") {
    const names = Object.keys(properties ?? {});
    const needed: readonly unknown[] = Array.isArray(required) ? required : [];
    if (additionalProperties !== false || !names.every((name) => needed.includes(name)))
      return false;
  }
  return Object.values(schema).every(isStrictSchema);
}
