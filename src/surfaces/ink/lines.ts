import { Box, Text } from "ink";
import { createElement, memo, type ReactElement } from "react";
import { type Line, print } from "../text/spans.ts";

const Row = memo(({ text }: { readonly text: string }) =>
  createElement(Text, { wrap: "truncate-end" }, text),
);

interface LinesProps {
  readonly lines: readonly Line[];
  readonly color: boolean;
  readonly width?: number | undefined;
}

/** Lines that were laid out for the width already, one row each. */
export function Lines({ lines, color, width }: LinesProps): ReactElement {
  const rows: ReactElement[] = [];
  // A row is known by its place. One without anything in it would have no height.
  for (const line of lines) rows.push(createElement(Row, { text: print([line], color) || " " }));
  const box = { flexDirection: "column" as const, ...(width !== undefined && { width }) };
  return createElement(Box, box, ...rows);
}
