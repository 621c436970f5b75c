import { Box, Text } from "ink";
import { createElement, memo, type ReactElement } from "react";
import { type Line, print } from "../../text/draw/spans.ts";

const Row = memo(({ text }: { readonly text: string }) =>
  createElement(Text, { wrap: "truncate-end" }, text),
);

interface LinesProps {
  readonly lines: readonly Line[];
  readonly color: boolean;
  readonly width?: number | undefined;
}

/** One row per line; the lines must fit the width. */
export function Lines({ lines, color, width }: LinesProps): ReactElement {
  // Rows are keyed by index. An empty row would have no height.
  const rows: ReactElement[] = [];
  for (const line of lines) rows.push(createElement(Row, { text: print([line], color) || " " }));
  const box = { flexDirection: "column" as const, ...(width !== undefined && { width }) };
  return createElement(Box, box, ...rows);
}
