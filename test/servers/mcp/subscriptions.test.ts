import { PassThrough } from "node:stream";
import {
  Client,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import { type TodoServer, todoServer } from "../../../src/servers/mcp/index.ts";
import type { Lists } from "../../../src/servers/mcp/lists.ts";
import { memoryStore } from "../../../src/stores/memory.ts";
import { type Tracker, trackerOn } from "../../../src/tracker.ts";
import { pause } from "../../until.ts";
import { rawClient } from "./clients.ts";

const TRACK = { session: "team", agent: "main" };
/** A store that takes longer to open than a subscription takes to be acknowledged. */
const SLOW_OPEN_MS = 200;

function overStreams(server: TodoServer): Transport {
  const input = new PassThrough();
  const output = new PassThrough();
  const connection = server.serve({ input, output });
  const transport: Transport = {
    async start() {
      rawClient(input, output, (message) => transport.onmessage?.(message as never));
    },
    send: async (message) => void input.write(`${JSON.stringify(message)}\n`),
    close: () => connection.close(),
  };
  return transport;
}

function overHttp(server: TodoServer): Transport {
  return new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), {
    fetch: (url, init) => server.fetch(new Request(url, init)),
  });
}

it.each([
  ["streams", overStreams],
  ["HTTP", overHttp],
])(
  "delivers the first change after a subscription is acknowledged, over %s",
  async (_, connect) => {
    const tracker = trackerOn(memoryStore()) as unknown as Tracker;
    const lists: Lists = {
      reading: () => tracker,
      writing: () => pause(SLOW_OPEN_MS, "a store that opens slowly").then(() => tracker),
    };
    const server = todoServer(lists, { track: TRACK });
    const client = new Client(
      { name: "official", version: "1" },
      { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    const received: string[] = [];
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
      received.push(params.uri);
    });
    try {
      await client.connect(connect(server));
      await client.listen({ resourceSubscriptions: ["waymark://list"] });
      await tracker.list(TRACK).submit([{ op: "add", todos: [{ text: "The very next change" }] }]);
      await expect.poll(() => received).toEqual(["waymark://list"]);
    } finally {
      await client.close();
      await server.close();
    }
  },
);
