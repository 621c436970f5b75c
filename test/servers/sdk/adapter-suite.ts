import { describe, expect, test } from "vitest";
import type * as waymark from "../../../src/index.ts";

export interface ModelCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface HostState {
  readonly planMode?: () => boolean;
  readonly context?: () => string | undefined;
}

/** Runs calls through the real SDK, with a scripted model. */
export interface SdkAdapter {
  readonly name: string;
  /** The results that the model gets for the calls of one answer, in order. */
  answer(
    tools: readonly waymark.ReadyTool[],
    calls: readonly ModelCall[],
    options: { readonly host?: HostState; readonly signal?: AbortSignal },
  ): Promise<readonly string[]>;
  /** The tools as the SDK offers them to the model: names, descriptions and schemas. */
  offered(tools: readonly waymark.ReadyTool[]): Promise<readonly OfferedTool[]>;
}

export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly schema: Record<string, unknown>;
}

/** The library under test: the sources, or the built package in test/sdk-heavy. */
export type Library = Pick<typeof waymark, "createTracker" | "todoTools">;

/** The tests of every adapter. */
export function adapterSuite(
  { createTracker, todoTools }: Library,
  adapter: SdkAdapter,
  newStore?: () => Promise<waymark.Store>,
): void {
  const open = async () => {
    const store = await newStore?.();
    const tracker: waymark.Tracker = store
      ? createTracker({ store, session: "s" })
      : createTracker();
    const list = tracker.list({ session: "s", agent: "main" });
    return { list, tools: todoTools(list, { offIn: ["git commit"] }) };
  };
  const call = (id: string, input: unknown): ModelCall => ({ id, name: "todos", input });
  const shown = async (list: waymark.List) =>
    (await list.get()).map(({ id, status, text }) => `${id} ${status} ${text}`);

  describe(`${adapter.name}, ${newStore ? "in a file" : "in memory"}`, () => {
    test("offers the tool with its schema", async () => {
      const { tools } = await open();
      const [tool] = tools;
      const properties = Object.keys((tool?.inputSchema.properties ?? {}) as object);
      const offered = await adapter.offered(tools);
      expect(
        offered.map(({ name, description, schema }) => [
          name,
          description,
          schema.type,
          Object.keys(schema.properties as object),
        ]),
      ).toEqual([["todos", tool?.description, "object", properties]]);
    });

    test("a call writes the list and returns it", async () => {
      const { list, tools } = await open();
      const results = await adapter.answer(
        tools,
        [
          call("c1", {
            todos: [{ text: "Add the index", status: "in_progress" }, { text: "Run" }],
          }),
        ],
        {},
      );
      expect(results).toEqual(['1 [>] "Add the index"\n2 [ ] "Run"\n0 of 2 done.']);
      expect(await shown(list)).toEqual(["1 in_progress Add the index", "2 pending Run"]);
    });

    test("accepts content and activeForm, which the published schema does not name", async () => {
      const { list, tools } = await open();
      const todos = [{ content: "Run", activeForm: "Running", status: "in_progress" }];
      const [answer] = await adapter.answer(tools, [call("c1", { todos })], {});
      expect(answer).toBe('1 [>] "Run" <- "Running"\n0 of 1 done.');
      expect(await shown(list)).toEqual(["1 in_progress Run"]);
    });

    test("applies a repeated call once, and another call with the same id separately", async () => {
      const { list, tools } = await open();
      for (const input of [{ add: ["One"] }, { add: ["One"] }, { add: ["Two"] }])
        await adapter.answer(tools, [call("call_0", input)], {});
      expect(await shown(list)).toEqual(["1 pending One", "2 pending Two"]);
    });

    test("a refusal has a message and changes nothing", async () => {
      const { list, tools } = await open();
      const results = await adapter.answer(
        tools,
        [
          call("c1", { todos: [{ text: "" }] }),
          call("c2", { finish: ["Nothing like it"] }),
          call("c3", { start: 7 }),
        ],
        {},
      );
      expect(results).toEqual([
        expect.stringMatching(/ Nothing was changed\.$/),
        expect.stringMatching(/Nothing like it.* Nothing was changed\.$/),
        expect.stringMatching(/7.* Nothing was changed\.$/),
      ]);
      expect(await shown(list)).toEqual([]);
    });

    test("applies the calls of one answer in order", async () => {
      const { list, tools } = await open();
      const texts = Array.from({ length: 15 }, (_, index) => `Step ${index}`);
      const results = await adapter.answer(
        tools,
        texts.map((text, index) => call(`c${index}`, { add: [text] })),
        {},
      );
      expect((await list.get()).map(({ text }) => text)).toEqual(texts);
      expect(results.map((text) => text.split("\n").at(-1))).toEqual(
        texts.map((_, index) => `0 of ${index + 1} done.`),
      );
    });

    test("refuses writes, not reads, in plan mode of the track or the host", async () => {
      const { list, tools } = await open();
      await list.set([{ text: "Known" }]);
      const [host] = await adapter.answer(tools, [call("c1", { add: ["A"] })], {
        host: { planMode: () => true },
      });
      await list.submit([{ op: "mode", mode: "plan" }], { by: "user" });
      const [track, read] = await adapter.answer(
        tools,
        [call("c2", { add: ["A"] }), call("c3", {})],
        {},
      );
      expect([host, track]).toEqual([
        expect.stringContaining("plan mode"),
        expect.stringContaining("plan mode"),
      ]);
      expect(read).toContain('1 [ ] "Known"');
      expect(await shown(list)).toEqual(["1 pending Known"]);
    });

    test("refuses writes during an operation that the host names", async () => {
      const { list, tools } = await open();
      const [off] = await adapter.answer(tools, [call("c1", { add: ["A"] })], {
        host: { context: () => "git commit" },
      });
      const [on] = await adapter.answer(tools, [call("c2", { add: ["B"] })], {
        host: { context: () => "review" },
      });
      expect([off, on]).toEqual([
        expect.stringContaining("git commit"),
        expect.stringContaining('[ ] "B"'),
      ]);
      expect(await shown(list)).toEqual(["1 pending B"]);
    });

    test("writes nothing after an abort", async () => {
      const { list, tools } = await open();
      const signal = AbortSignal.abort();
      const ended = adapter.answer(tools, [call("c1", { add: ["Too late"] })], { signal });
      await expect(ended.then(() => "answered")).rejects.toThrow();
      expect(await shown(list)).toEqual([]);
    });
  });
}
