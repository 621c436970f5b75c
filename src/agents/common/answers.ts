/** Searching for more ids at once is slower than parsing every line that answers a call. */
const MAX_SEARCHED = 32;

/**
 * What to look for while calls are open: their ids. Where one message makes more calls than that,
 * the fields by which every answer names its call.
 */
export function answersTo(
  ids: readonly string[],
  ...fields: readonly [string, ...string[]]
): readonly string[] {
  return ids.length <= MAX_SEARCHED ? ids : fields.map((field) => `"${field}"`);
}
