/** One event of a server-sent event stream. */
export interface ServerEvent {
  readonly type: string;
  readonly id: string;
  readonly data: string;
}

/**
 * Reads server-sent events, one line of data each, as `servers/http/broadcast.ts` writes them. `EventSource` cannot send a
 * token. Ends with the stream, or when the connection breaks.
 */
export async function* eventsIn(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<ServerEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read().catch(() => OVER);
    if (done) return;
    const parts = (text + value).split("\n\n");
    text = parts.pop() ?? "";
    for (const part of parts) {
      const fields = new Map(part.split("\n").map((line) => fieldIn(line)));
      const [type, id, data] = ["event", "id", "data"].map((name) => fields.get(name));
      if (type !== undefined && id !== undefined && data !== undefined) yield { type, id, data };
    }
  }
}

const OVER = { done: true, value: undefined } as const;

function fieldIn(line: string): readonly [name: string, value: string] {
  const [, name = "", value = ""] = /^(\w*): ?(.*)$/.exec(line) ?? [];
  return [name, value];
}
