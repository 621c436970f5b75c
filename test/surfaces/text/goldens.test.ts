import { describe, expect, test } from "vitest";
import { viewOf } from "../../../src/core/views/view.ts";
import {
  type HistoryRow,
  renderHistory,
  renderList,
  renderTracks,
  type TextOptions,
} from "../../../src/surfaces/text/index.ts";
import { evidenceTodos } from "../proofs.ts";
import { at, NOW, optionsOf, richView, sampleView, todoOf, trackOf } from "./fixture.ts";

const STYLES = ["waymark", "boxed", "tree", "plan", "checkbox"] as const;
const WIDTHS = [40, 80, 120];
const LOOKS: Readonly<Record<string, Partial<TextOptions>>> = {
  "": {},
  "-ascii": { unicode: false },
  "-ansi": { color: true },
};

async function golden(name: string, render: (options: TextOptions) => string) {
  for (const [suffix, look] of Object.entries(LOOKS)) {
    for (const width of WIDTHS) {
      await expect(`${render(optionsOf({ ...look, width }))}\n`).toMatchFileSnapshot(
        `goldens/${name}-${width}${suffix}.txt`,
      );
    }
  }
}

describe("goldens", () => {
  for (const style of STYLES) {
    const member = style === "plan" ? { member: { name: "Lead", color: "cyan" } } : {};
    test(`a list with every feature, as ${style}`, () =>
      golden(style, (options) => renderList(richView(), { ...options, style, ...member })));
  }

  const proven = viewOf(
    trackOf(evidenceTodos(todoOf, at), {
      title: "Make refunds idempotent",
      cwd: "/home/dev/src/ledger-api",
      agentType: "claude-code",
    }),
    NOW,
    -1,
  );
  test("every state of evidence", () =>
    golden("evidence", (options) => renderList(proven, options)));

  const tracks = [
    richView(),
    sampleView({ title: "Fix the flaky cart tests", agentType: "opencode", cwd: "C:\\src\\web\\" }),
    viewOf(trackOf([], { title: "Upgrade staging", agentType: "codex", cwd: "/src/infra" }), NOW),
    viewOf(
      trackOf([todoOf("1", "One", { status: "completed", finishedAt: at("14:31") })], {
        title: "リリースノートを五つの言語に翻訳して公開する",
        agentType: "gemini",
        cwd: "/src/docs-site",
      }),
      NOW,
    ),
    viewOf(
      trackOf(
        [todoOf("1", "One", { status: "completed", finishedAt: at("14:21") }), todoOf("2", "Two")],
        { title: "Rename the payout metrics", agentType: "qwen", cwd: "/src/ledger-api/" },
      ),
      NOW,
    ),
    viewOf(
      trackOf([todoOf("1", "One", { status: "blocked" })], { agentType: "home-made \u001b[5m" }),
      NOW,
    ),
    viewOf(trackOf([todoOf("1", "One", { status: "cancelled", finishedAt: NOW })]), NOW),
  ];
  test("the session table", () => golden("tracks", (options) => renderTracks(tracks, options)));

  test("the history of a list", () =>
    golden("history", (options) => renderHistory(HISTORY, options)));
});

const caller = { todo: "1", text: "List every caller of refund()" };
const cache = { todo: "12", text: "キーの二つ目の写しをキャッシュに置くかどうかを決める" };
const HISTORY: readonly HistoryRow[] = [
  {
    ...caller,
    at: at("13:40") - 86_400_000,
    by: "agent",
    via: "TodoWrite",
    from: null,
    to: "pending",
  },
  { ...caller, at: at("13:41"), by: "agent", via: "TodoWrite", from: "pending", to: "in_progress" },
  { ...cache, at: at("13:44"), by: "agent", via: "TodoWrite", from: null, to: "in_progress" },
  {
    ...caller,
    at: at("13:48"),
    by: "agent",
    via: "TodoWrite",
    from: "in_progress",
    to: "completed",
  },
  {
    ...cache,
    at: at("13:50"),
    by: "user",
    via: "waymark todo drop",
    from: "in_progress",
    to: "cancelled",
  },
  {
    ...cache,
    at: at("13:51"),
    by: "user",
    via: "waymark todo note",
    from: "cancelled",
    to: "cancelled",
    change: "noted",
  },
  {
    ...cache,
    at: at("14:12"),
    by: "system",
    via: "\u001b]0;evil\u0007",
    from: "cancelled",
    to: null,
  },
];
