import { createHash } from "node:crypto";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** The X.500 namespace of RFC 9562, as bytes. */
const NAMESPACE = Buffer.from("6ba7b8149dad11d180b400c04fd430c8", "hex");

/** The event id as a UUID (version 5): the same event always gets the same UUID. */
export function eventUuid(eventId: string): string {
  if (UUID.test(eventId)) return eventId;
  const bytes = createHash("sha1").update(NAMESPACE).update(eventId).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
