import { Box, Text } from "ink";
import { createElement, memo, type ReactElement } from "react";
import { type Line, print } from "../../text/draw/spans.ts";

const Row = memo(({ text }: { readonly text: string }) =>
  createElement(Text, { wrap: "truncate-end" }, text),
);

interface RowsProps {
  readonly texts: readonly string[];
  readonly width?: number | undefined;
}

/** One row per text; the texts must fit the width. */
export function Rows({ texts, width }: RowsProps): ReactElement {
  const rows: ReactElement[] = [];
  // Rows are keyed by index. An empty row would have no height.
  for (const text of texts) rows.push(createElement(Row, { text: text || " " }));
  const box = { flexDirection: "column" as const, ...(width !== undefined && { width }) };
  return createElement(Box, box, ...rows);
}

interface LinesProps {
  readonly lines: readonly Line[];
  readonly color: boolean;
  readonly width?: number | undefined;
}

export function Lines({ lines, color, width }: LinesProps): ReactElement {
  return createElement(Rows, { texts: lines.map((line) => print([line], color)), width });
}
