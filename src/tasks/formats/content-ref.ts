/**
 * Refs for entries without an id, from their text and the number of earlier entries with the same
 * text.
 */
export function refsByContent(prefix: string): (content: string) => string {
  const seen = new Map<string, number>();
  return (content) => {
    const times = (seen.get(content) ?? 0) + 1;
    seen.set(content, times);
    return `${prefix}:${fingerprint(content)}${times > 1 ? `.${times}` : ""}`;
  };
}

/** A stable hash; not for secrets. */
function fingerprint(text: string): string {
  let low = 0x811c9dc5;
  let high = 0x01000193;
  for (let place = 0; place < text.length; place++) {
    const unit = text.charCodeAt(place);
    low = Math.imul(low ^ unit, 0x01000193) >>> 0;
    high = Math.imul(high ^ (unit + place), 0x85ebca6b) >>> 0;
  }
  return `${low.toString(36)}${high.toString(36)}`;
}
