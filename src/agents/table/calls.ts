import { fields, number, outputText, parsed, text } from "../common/values.ts";
import type { RecordFormat } from "./formats.ts";
import { at, keyAt, matches, select } from "./paths.ts";

export interface Call {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly input: unknown;
}

export interface Result extends Call {
  readonly output: string | undefined;
  readonly data: unknown;
  readonly failed: boolean;
  readonly exitCode: number | undefined;
}

export function callsIn(format: RecordFormat, value: unknown): readonly Call[] {
  return format.calls.flatMap((shape) =>
    partsOf(value, shape).map((part) => ({
      id: text(at(part, shape.id)),
      name: nameAt(part, shape.name),
      input: parsed(at(part, shape.input)),
    })),
  );
}

export function resultsIn(format: RecordFormat, value: unknown): readonly Result[] {
  return format.results.flatMap((shape) =>
    partsOf(value, shape).map((part) => {
      const outputs = select(part, shape.output).flatMap((found) => outputText(found) ?? []);
      const error = shape.error === undefined ? undefined : text(at(part, shape.error));
      return {
        id: text(at(part, shape.id)),
        name: shape.name === undefined ? undefined : nameAt(part, shape.name),
        input: shape.input === undefined ? undefined : parsed(at(part, shape.input)),
        output: error ?? (outputs.length > 0 ? outputs.join("\n") : undefined),
        data: shape.data === undefined ? undefined : parsed(at(part, shape.data)),
        exitCode: shape.exitCode === undefined ? undefined : number(at(part, shape.exitCode)),
        failed: shape.failed?.some((where) => matches(part, where)) === true,
      };
    }),
  );
}

function partsOf(
  value: unknown,
  shape: RecordFormat["calls"][number] | RecordFormat["results"][number],
) {
  if (!matches(value, shape.when)) return [];
  const parts = shape.each === undefined ? [value] : select(value, shape.each);
  return parts.filter((part) => fields(part) && (!shape.part || matches(part, shape.part)));
}

function nameAt(part: unknown, path: string): string | undefined {
  return path.startsWith("key:") ? keyAt(part, path.slice(4)) : text(at(part, path));
}
