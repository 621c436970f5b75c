import { expect, test } from "vitest";
import { emptyTrack } from "../../src/core/evolve.ts";
import type { Track } from "../../src/core/model.ts";
import { titleOf } from "../../src/core/views/title.ts";
import { todo } from "./track-of.ts";

const UUID = "0b0c2c1e-6c5e-4d52-9d43-0b5b9a6f9a02";

const title = (track: Partial<Track>, rest: { name?: string; prompt?: string } = {}) =>
  titleOf({ track: { ...emptyTrack({ session: "shop", agent: "main" }), ...track }, ...rest });

test("a session is named by its title, prompt, todo or id, in this order", () => {
  const todos = [todo("1", { text: "Cut" }), todo("2", { text: "Sew", status: "in_progress" })];
  const prompt = "Repair the export";
  expect(title({ title: "Export", prompt: "Other", todos }, { prompt, name: "n" })).toBe("Export");
  expect(title({ prompt: "Other", todos }, { prompt, name: "n" })).toBe(prompt);
  expect(title({ prompt, todos }, { name: "n" })).toBe(prompt);
  expect(title({ todos }, { name: "n" })).toBe("Sew");
  expect(title({ todos: todos.slice(0, 1) })).toBe("Cut");
  expect(title({})).toBe("shop");
  expect(title({ session: UUID })).toBe("0b0c2c1e");
});

test("a subagent is named by its title, name or id", () => {
  const sub = { agent: "a1", prompt: "Look", todos: [todo("1")] };
  expect(title(sub, { name: "reviewer" })).toBe("reviewer");
  expect(title(sub)).toBe("a1");
  expect(title({ ...sub, title: "Review" }, { name: "reviewer" })).toBe("Review");
});
