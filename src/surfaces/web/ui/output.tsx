import { useMemo } from "preact/hooks";
import { type AnsiSpan, ansiLines, withoutAnsi } from "../../../core/text/ansi.ts";
import { CopyButton } from "./command.tsx";

interface OutputProps {
  /** The last lines of the output of a program. External text. */
  readonly text: string;
  readonly label: string;
}

/** The end of the output of a program, with its colors. Only text is drawn: no sequence has an effect. */
export function Output({ text, label }: OutputProps) {
  const lines = useMemo(() => ansiLines(text.replace(/\n$/, "")), [text]);
  return (
    <div class="log">
      <div class="log-head">
        <span class="num">
          {lines.length === 1 ? "Last line" : `Last ${lines.length} lines`} of output
        </span>
        <CopyButton text={() => withoutAnsi(text)} what="the output" />
      </div>
      <pre tabIndex={0} class="scroll" aria-label={label}>
        {lines.map((spans, index) => (
          <span key={index} class="log-line">
            <AnsiLine spans={spans} />
          </span>
        ))}
      </pre>
    </div>
  );
}

/** One line of output with its line feed. */
export function AnsiLine({ spans }: { readonly spans: readonly AnsiSpan[] }) {
  return (
    <>
      {spans.map((span, place) => (
        <span key={place} class={classOf(span)}>
          {span.text}
        </span>
      ))}
      {"\n"}
    </>
  );
}

function classOf({ color, bold, dim, inverse }: AnsiSpan): string | undefined {
  const names = [
    ...(color ? [`ansi-${color}`] : []),
    ...(bold ? ["ansi-bold"] : []),
    ...(dim ? ["ansi-dim"] : []),
    ...(inverse ? ["ansi-inverse"] : []),
  ];
  return names.length > 0 ? names.join(" ") : undefined;
}
