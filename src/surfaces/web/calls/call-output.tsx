import { useMemo } from "preact/hooks";
import type { CallDetail } from "../../../core/activity/calls/call-detail.ts";
import { failureLines, firstShown } from "../../../core/activity/calls/failures.ts";
import { type AnsiSpan, ansiLines } from "../../../core/text/ansi.ts";
import { counted } from "../../../core/text/count.ts";
import { AnsiLine } from "../ui/output.tsx";
import { Button } from "../ui/parts.tsx";

/** Lines that are drawn before the user asks for all. */
const SHOWN = 60;
/** Lines of a block: the browser lays out only the blocks that are on the screen. */
const BLOCK = 200;

type Spans = readonly AnsiSpan[];

interface CallOutputProps {
  readonly output: NonNullable<CallDetail["output"]>;
  /** The call failed: the output starts at the first failure. */
  readonly hasFailed: boolean;
  readonly label: string;
  /** Shows every line that was read. */
  readonly isWhole: boolean;
  onWhole(): void;
  onCopy(): void;
  readonly copyLabel: string;
}

/** The output of a call, with its colors. Only text is drawn: no sequence has an effect. */
export function CallOutput(props: CallOutputProps) {
  const { output, hasFailed, label, isWhole, onWhole, onCopy, copyLabel } = props;
  const { head, tail, omitted = 0 } = output;
  const lines = useMemo(() => linesOf(head), [head]);
  const end = useMemo(() => (tail === undefined ? [] : linesOf(tail)), [tail]);
  const failures = useMemo(
    () => (hasFailed ? failureLines([...lines, ...end].map(plain)) : []),
    [lines, end, hasFailed],
  );
  const failed = useMemo(() => new Set(failures), [failures]);
  const from = isWhole ? 0 : Math.min(firstShown(failures), Math.max(0, lines.length - 1));
  const to = isWhole ? lines.length : Math.min(lines.length, from + SHOWN);
  const isPart = from > 0 || to < lines.length || tail !== undefined;
  const first = lines.slice(from, to);
  const last = isWhole ? end : end.slice(-SHOWN / 2);
  const found = failures.length > 0 ? ` ${counted(failures.length, "failure")}.` : "";
  return (
    <div class="log">
      <div class="log-head">
        <span class="num">
          {isPart ? `Lines ${from + 1}–${to} of ${totalOf(lines.length, omitted)}.` : ""}
          {isPart ? found : `${counted(lines.length, "line")}.${found}`}
        </span>
        {isPart && !isWhole && <Button onClick={onWhole}>Show all</Button>}
        <Button shortcut="y" onClick={onCopy}>
          {copyLabel}
        </Button>
      </div>
      <pre tabIndex={0} class="scroll" aria-label={label}>
        <Blocks lines={first} number={from + 1} failed={failed} />
        {tail !== undefined && (
          <span class="log-gap">
            {omitted > 0 ? `${sizeText(omitted)} not shown` : "more lines not shown"}
            {"\n"}
          </span>
        )}
        <Blocks lines={last} failed={failed} offset={lines.length + end.length - last.length} />
      </pre>
    </div>
  );
}

interface BlocksProps {
  readonly lines: readonly Spans[];
  /** The number of the first line; absent where it is not known. */
  readonly number?: number;
  /** The index of the first line, if its number is not known. */
  readonly offset?: number;
  readonly failed: ReadonlySet<number>;
}

function Blocks({ lines, number, offset = (number ?? 1) - 1, failed }: BlocksProps) {
  const starts = Array.from(
    { length: Math.ceil(lines.length / BLOCK) },
    (_, index) => index * BLOCK,
  );
  return (
    <>
      {starts.map((start) => (
        <span key={start} class="log-block">
          {lines.slice(start, start + BLOCK).map((spans, index) => (
            <span
              key={index}
              class={failed.has(offset + start + index) ? "log-line is-failure" : "log-line"}
              {...(number !== undefined && { "data-line": number + start + index })}
            >
              <AnsiLine spans={spans} />
            </span>
          ))}
        </span>
      ))}
    </>
  );
}

function linesOf(text: string): readonly Spans[] {
  return ansiLines(text.replace(/\n$/, ""));
}

function plain(spans: Spans): string {
  return spans.map(({ text }) => text).join("");
}

function totalOf(lines: number, omitted: number): string {
  const count = lines.toLocaleString("en-US");
  return omitted > 0 ? `more than ${count}` : count;
}

const KILO = 1_000;

/** `98 MB`, `12 kB`. */
function sizeText(characters: number): string {
  if (characters < KILO) return counted(characters, "character");
  if (characters < KILO * KILO) return `${Math.round(characters / KILO)} kB`;
  return `${Math.round(characters / KILO / KILO)} MB`;
}
