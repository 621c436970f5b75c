/** A line of the input with its line number. */
export interface NumberedLine {
  readonly number: number;
  readonly text: string;
}

/** Unwraps the data of server-sent events; other lines pass unchanged. */
export interface Unframer {
  take(line: NumberedLine): readonly NumberedLine[];
  /** The lines that are still held at the end of the input. */
  rest(): readonly NumberedLine[];
}

const FIELD = /^(data|event|id|retry|)(?:: ?(.*))$/s;
const MAX_DATA = 8 * 1024 * 1024;
const MAX_HELD = 8;

/**
 * Log lines may look like event fields, so fields are recognized only after the first `data` that can be a record. The
 * few field-like lines before it are held until then.
 */
export function unframe(): Unframer {
  let isFramed = false;
  let held: NumberedLine[] = [];
  let data: string[] = [];
  let size = 0;
  let number = 0;

  const release = (...more: readonly NumberedLine[]): readonly NumberedLine[] => {
    const lines = [...held, ...more];
    held = [];
    return lines;
  };
  const finish = (): readonly NumberedLine[] => {
    if (data.length === 0) return [];
    const line = { number, text: data.join("\n") };
    data = [];
    size = 0;
    return [line];
  };
  const takeData = (line: NumberedLine, value: string): void => {
    if (data.length === 0) number = line.number;
    size += value.length;
    if (size <= MAX_DATA) data.push(value);
  };

  return {
    rest: () => [...release(), ...finish()],
    take(line) {
      if (line.text === "") return isFramed ? finish() : release();
      const [field, name, value = ""] = FIELD.exec(line.text) ?? [];
      if (field === undefined) return release(line);
      if (!isFramed) {
        if (name === "data" && !/^[{[]/.test(value)) return release(line);
        isFramed = name === "data";
        held = isFramed || name === "" ? [] : [...held, line];
        if (held.length > MAX_HELD) return release();
      }
      if (name === "data") takeData(line, value);
      return [];
    },
  };
}
