import { EventEmitter } from "node:events";
import { frameTransport } from "../../../src/servers/mcp/frames.ts";
import { holds, same } from "../check.ts";

const CODES = new Set([-32_700, -32_600]);

class Input extends EventEmitter {
  pause(): void {}
  resume(): void {}
  isPaused(): boolean {
    return false;
  }
}

async function received(chunks: readonly Buffer[]) {
  const input = new Input();
  const written: string[] = [];
  const messages: unknown[] = [];
  const output = { on: () => output, write: (text: string) => written.push(text) > 0 };
  const transport = frameTransport({ input, output, maxFrame: 512 });
  transport.onmessage = (message) => void messages.push(message);
  await transport.start();
  for (const chunk of chunks) input.emit("data", chunk);
  input.emit("end");
  await transport.close();
  return { written, messages };
}

/** Bytes in pieces give the same messages, and every refusal is an answer of the protocol. */
export async function fuzz(bytes: Buffer): Promise<void> {
  const size = 1 + ((bytes[0] ?? 0) % 13);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  const whole = await received([bytes]);
  same("messages of pieces", await received(pieces), whole);
  for (const line of whole.written) {
    holds("an answer is one line", line.indexOf("\n") === line.length - 1);
    const { jsonrpc, error } = JSON.parse(line);
    holds("an error of the protocol", jsonrpc === "2.0" && CODES.has(error.code));
  }
}
