/** Searching for more ids than this is slower than parsing every line with a result. */
const MAX_IDS = 32;

/**
 * Needles for the results of pending calls: the ids of the calls or, if there are too many, the names of the fields
 * in which results refer to their call.
 */
export function resultNeedles(
  ids: readonly string[],
  ...fields: readonly [string, ...string[]]
): readonly string[] {
  return ids.length <= MAX_IDS ? ids : fields.map((field) => `"${field}"`);
}
