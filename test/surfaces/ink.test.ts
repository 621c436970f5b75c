import { EventEmitter } from "node:events";
import { render } from "ink";
import { createElement, type ReactElement } from "react";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Draft, Track } from "../../src/index.ts";
import {
  TodoSpinner,
  type TodoSpinnerProps,
  useTodoToggle,
} from "../../src/surfaces/terminal/ink/index.ts";
import { newList } from "../tools/call.ts";

const AUTH: readonly Draft[] = [
  { text: "Read the code", status: "completed" },
  {
    text: "Implement user authentication",
    activeText: "Implementing user authentication",
    status: "in_progress",
  },
  { text: "Write unit tests" },
  { text: "Add error handling" },
];

function trackOf(todos: readonly Draft[]): Track {
  const list = newList();
  if (todos.length > 0) list.set(todos);
  return list.read();
}

/** Mounts an element on a 60-column terminal; `frame` reads the screen, `press` types. */
function mount(element: ReactElement) {
  const written: string[] = [];
  const stdout = Object.assign(new EventEmitter(), {
    columns: 60,
    rows: 24,
    write: (text: string) => written.push(text) > 0,
  });
  const unread: string[] = [];
  const stdin = Object.assign(new EventEmitter(), {
    isTTY: true,
    setEncoding() {},
    setRawMode() {},
    resume() {},
    pause() {},
    ref() {},
    unref() {},
    read: () => unread.shift() ?? null,
  });
  const app = render(element, {
    stdout: stdout as unknown as NodeJS.WriteStream,
    stdin: stdin as unknown as NodeJS.ReadStream,
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  onTestFinished(() => app.unmount());
  return {
    frame: () => (written.at(-1) ?? "").split("\n").map((line) => line.trimEnd()),
    press(keys: string) {
      unread.push(keys);
      stdin.emit("readable");
    },
  };
}

function spinner(todos: readonly Draft[], props: Partial<TodoSpinnerProps> = {}) {
  const track = trackOf(todos);
  const now = track.updatedAt + 5_000;
  return mount(
    createElement(TodoSpinner, { track, now, still: true, color: false, width: 60, ...props }),
  ).frame();
}

function Toggled({ track }: { readonly track: Track }) {
  const expanded = useTodoToggle();
  const look = { still: true, color: false, width: 70 };
  const state = { track, now: track.updatedAt, expanded, toggleKey: "ctrl+t" };
  return createElement(TodoSpinner, { ...look, ...state });
}

describe("Claude Code: the spinner", () => {
  it("Claude Code: shows the active form and the next todo if collapsed", () => {
    const [first, ...rest] = spinner(AUTH);
    expect(first).toMatch(/^. Implementing user authentication… +5s$/);
    expect(rest).toEqual(["  Next: Write unit tests"]);
  });

  it("Claude Code: shows the whole list if expanded", () => {
    const [first, ...rest] = spinner(AUTH, { expanded: true });
    expect(first).toMatch(/^. Implementing user authentication…/);
    expect(rest).toEqual([
      "  ☒ Read the code",
      "  ☐ Implement user authentication (in progress)",
      "  ☐ Write unit tests",
      "  ☐ Add error handling",
    ]);
  });

  it("Claude Code: prefers the message over the todo, and the todo over the default", () => {
    const first = (todos: readonly Draft[], props: Partial<TodoSpinnerProps>) =>
      (spinner(todos, props)[0] ?? "").replace(/ {2,}.*$/, "").slice(2);
    const both = { message: "Compacting", defaultMessage: "Thinking" };
    expect(first(AUTH, both)).toBe("Compacting…");
    expect(first(AUTH, { defaultMessage: "Thinking" })).toBe("Implementing user authentication…");
    expect(first([{ text: "Read" }], { defaultMessage: "Thinking" })).toBe("Thinking…");
    expect(first([], { defaultMessage: "Thinking" })).toBe("Thinking…");
  });

  it("draws nothing while no todo is in progress and no message is given", () => {
    expect(spinner([{ text: "Read" }])).toEqual([""]);
  });

  it("Claude Code: shows the tip only without a next todo", () => {
    const last: readonly Draft[] = [{ text: "Ship", status: "in_progress" }];
    const tip = "press esc to stop";
    expect(spinner(last, { tip })[1]).toBe("  Tip: press esc to stop");
    expect(spinner(AUTH, { tip }).slice(1)).toEqual(["  Next: Write unit tests"]);
    expect(spinner(last, { tip, expanded: true }).at(-1)).toBe("  Tip: press esc to stop");
  });

  it("Claude Code: adapts the key hint to the state", () => {
    const hint = (expanded: boolean) =>
      spinner(AUTH, { expanded, toggleKey: "ctrl+t", width: 80 })[0];
    expect(hint(false)).toMatch(/5s {2}ctrl\+t show todos$/);
    expect(hint(true)).toMatch(/5s {2}ctrl\+t hide todos$/);
    expect(spinner([], { defaultMessage: "Thinking", toggleKey: "ctrl+t" })[0]).not.toContain(
      "ctrl+t",
    );
  });

  it("escapes texts and keeps to the width", () => {
    const lines = spinner(AUTH, { message: "\x1b[31mred\x07", tip: "\x1b]0;x\x07", width: 20 });
    expect(lines.join("")).not.toMatch(/[\x07\x1b]/);
    expect(lines.filter((line) => line.length > 20)).toEqual([]);
  });

  it("Claude Code: expands and collapses with ctrl+t", async () => {
    const track = trackOf(AUTH);
    const { frame, press } = mount(createElement(Toggled, { track }));
    await expect.poll(() => frame().join("\n")).toContain("Next: Write unit tests");
    press("\x14");
    await expect.poll(() => frame().join("\n")).toContain("☐ Add error handling");
    expect(frame()[0]).toContain("ctrl+t hide todos");
    press("t");
    press("\x14");
    await expect.poll(() => frame().join("\n")).not.toContain("☐ Add error handling");
  });
});
