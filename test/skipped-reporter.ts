import type { Reporter, TestCase, TestModule } from "vitest/node";

/** Lists the reasons of skipped tests and their number at the end of a run. */
// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = skippedLines(modules);
    if (lines.length > 0) console.log([" Skipped", ...lines, ""].join("\n"));
  }
}

function skippedLines(modules: readonly TestModule[]): string[] {
  const counts = new Map<string, number>();
  for (const module of modules) {
    for (const test of module.children.allTests("skipped")) {
      const reason = reasonOf(test);
      if (reason !== "") counts.set(reason, (counts.get(reason) ?? 0) + 1);
    }
  }
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map(([reason, count]) => `${String(count).padStart(7)}  ${reason}`);
}

/** Tests that are excluded by a name filter have no reason. */
function reasonOf(test: TestCase): string {
  const { note } = test.result() as { note?: string };
  return note || test.meta().skipReason || "";
}
