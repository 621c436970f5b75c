import { describe, expect, test } from "vitest";
import type * as waymark from "../../../src/index.ts";

export interface ModelCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface Situation {
  readonly planMode?: () => boolean;
  readonly context?: () => string | undefined;
}

/** One way for a model's calls to reach our tools: through the real SDK, with a scripted model. */
export interface SdkDoor {
  readonly name: string;
  /** What the model is told of the calls of one of its answers, in their order. */
  answer(
    tools: readonly waymark.ReadyTool[],
    calls: readonly ModelCall[],
    options: { readonly situation?: Situation; readonly signal?: AbortSignal },
  ): Promise<readonly string[]>;
  /** What the SDK tells the model of the tools: names, descriptions and schemas. */
  offered(tools: readonly waymark.ReadyTool[]): Promise<readonly OfferedTool[]>;
}

export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly schema: Record<string, unknown>;
}

/** What the suite works with: the sources here, the built package where SDKs are brought along. */
export type Library = Pick<typeof waymark, "createTracker" | "todoTools">;

/** What every SDK owes the list, whatever it is built like. */
export function sdkDoor(
  { createTracker, todoTools }: Library,
  door: SdkDoor,
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

  describe(`${door.name}, ${newStore ? "kept in a file" : "in memory"}`, () => {
    test("the model is offered the tool with its schema", async () => {
      const { tools } = await open();
      const [tool] = tools;
      const properties = Object.keys((tool?.inputSchema.properties ?? {}) as object);
      const offered = await door.offered(tools);
      expect(
        offered.map(({ name, description, schema }) => [
          name,
          description,
          schema.type,
          Object.keys(schema.properties as object),
        ]),
      ).toEqual([["todos", tool?.description, "object", properties]]);
    });

    test("a call writes the list and is answered with it", async () => {
      const { list, tools } = await open();
      const told = await door.answer(
        tools,
        [
          call("c1", {
            todos: [{ text: "Add the index", status: "in_progress" }, { text: "Run" }],
          }),
        ],
        {},
      );
      expect(told).toEqual(['1. [>] "Add the index"\n2. [ ] "Run"\n\n(0/2 completed)']);
      expect(await shown(list)).toEqual(["1 in_progress Add the index", "2 pending Run"]);
    });

    test("the same call again lands once, another call of the same id is another", async () => {
      const { list, tools } = await open();
      for (const input of [{ add: ["One"] }, { add: ["One"] }, { add: ["Two"] }])
        await door.answer(tools, [call("call_0", input)], {});
      expect(await shown(list)).toEqual(["1 pending One", "2 pending Two"]);
    });

    test("what is refused is told in words and changes nothing", async () => {
      const { list, tools } = await open();
      const told = await door.answer(
        tools,
        [
          call("c1", { todos: [{ text: "" }] }),
          call("c2", { finish: ["Nothing like it"] }),
          call("c3", { start: 7 }),
        ],
        {},
      );
      expect(told).toEqual([
        expect.stringMatching(/^Nothing was changed\./),
        expect.stringMatching(/^Nothing was changed\..*Nothing like it/),
        expect.stringMatching(/^Nothing was changed\..*7/),
      ]);
      expect(await shown(list)).toEqual([]);
    });

    test("calls of one answer apply in their order, however they are run", async () => {
      const { list, tools } = await open();
      const texts = Array.from({ length: 15 }, (_, index) => `Step ${index}`);
      const told = await door.answer(
        tools,
        texts.map((text, index) => call(`c${index}`, { add: [text] })),
        {},
      );
      expect((await list.get()).map(({ text }) => text)).toEqual(texts);
      expect(told.map((text) => text.split("\n").at(-1))).toEqual(
        texts.map((_, index) => `(0/${index + 1} completed)`),
      );
    });

    test("plan mode of the track and of the host refuse writes; reading stays", async () => {
      const { list, tools } = await open();
      await list.set([{ text: "Known" }]);
      const [host] = await door.answer(tools, [call("c1", { add: ["A"] })], {
        situation: { planMode: () => true },
      });
      await list.submit([{ op: "mode", mode: "plan" }], { by: "user" });
      const [track, read] = await door.answer(
        tools,
        [call("c2", { add: ["A"] }), call("c3", {})],
        {},
      );
      expect([host, track]).toEqual([
        expect.stringContaining("plan mode"),
        expect.stringContaining("plan mode"),
      ]);
      expect(read).toContain('1. [ ] "Known"');
      expect(await shown(list)).toEqual(["1 pending Known"]);
    });

    test("a situation that the host named switches writing off", async () => {
      const { list, tools } = await open();
      const [off] = await door.answer(tools, [call("c1", { add: ["A"] })], {
        situation: { context: () => "git commit" },
      });
      const [on] = await door.answer(tools, [call("c2", { add: ["B"] })], {
        situation: { context: () => "review" },
      });
      expect([off, on]).toEqual([
        expect.stringContaining("git commit"),
        expect.stringContaining('[ ] "B"'),
      ]);
      expect(await shown(list)).toEqual(["1 pending B"]);
    });

    test("after an abort nothing is written", async () => {
      const { list, tools } = await open();
      const signal = AbortSignal.abort();
      const ended = door.answer(tools, [call("c1", { add: ["Too late"] })], { signal });
      await expect(ended.then(() => "answered")).rejects.toThrow();
      expect(await shown(list)).toEqual([]);
    });
  });
}
