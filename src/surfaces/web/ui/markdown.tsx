import type { ComponentChild } from "preact";
import { forPage } from "../../../core/text/escape.ts";

/** Renders the subset of Markdown that plans use; everything else stays plain text. */
export function Markdown({ text }: { readonly text: string }) {
  return <>{blocksOf(forPage(text)).map((block, index) => draw(block, index))}</>;
}

interface Block {
  readonly kind: "heading" | "text" | "code" | "list";
  readonly lines: string[];
  readonly isOrdered?: boolean;
}

const HEADING = /^\s{0,3}#{1,6}\s+/;
const ITEM = /^\s{0,12}(?:[-*+](?:\s+\[.\])?|(\d{1,3})[.)])\s+/;
const FENCE = /^\s{0,3}(?:```|~~~)/;

function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let last: Block | undefined;
  const begin = (block: Block): void => {
    blocks.push(block);
    last = block;
  };
  let isCode = false;
  for (const line of text.split("\n")) {
    if (FENCE.test(line)) {
      isCode = !isCode;
      if (isCode) begin({ kind: "code", lines: [] });
      else last = undefined;
    } else if (isCode) last?.lines.push(line);
    else if (line.trim() === "") last = undefined;
    else if (HEADING.test(line)) {
      begin({ kind: "heading", lines: [line.replace(HEADING, "")] });
      last = undefined;
    } else if (ITEM.test(line)) {
      const isOrdered = ITEM.exec(line)?.[1] !== undefined;
      if (last?.kind !== "list") begin({ kind: "list", lines: [], isOrdered });
      last?.lines.push(line.replace(ITEM, ""));
    } else if (last?.kind === "list" && /^\s/.test(line)) {
      last.lines.push(`${last.lines.pop() ?? ""} ${line.trim()}`);
    } else if (last?.kind === "text") last.lines.push(line);
    else begin({ kind: "text", lines: [line] });
  }
  return blocks;
}

function draw({ kind, lines, isOrdered }: Block, index: number): ComponentChild {
  if (kind === "heading")
    return (
      <p key={index} class="heading" dir="auto">
        {inline(lines.join(" "))}
      </p>
    );
  if (kind === "code")
    return (
      <pre key={index} tabIndex={0}>
        <code>{lines.join("\n")}</code>
      </pre>
    );
  if (kind === "text")
    return (
      <p key={index} dir="auto">
        {inline(lines.join(" "))}
      </p>
    );
  const items = lines.map((line, at) => (
    <li key={at} dir="auto">
      {inline(line)}
    </li>
  ));
  return isOrdered ? <ol key={index}>{items}</ol> : <ul key={index}>{items}</ul>;
}

/** Code and bold. Links stay text, so that an agent's link is never followed by mistake. */
function inline(text: string): ComponentChild[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part, index) => {
    if (index % 2 === 0) return part;
    return part.startsWith("`") ? (
      <code key={index}>{part.slice(1, -1)}</code>
    ) : (
      <b key={index}>{part.slice(2, -2)}</b>
    );
  });
}
