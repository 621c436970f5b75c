/** Returns what is wrong with a value; nothing if it is valid. */
export type Rule = (value: unknown, at: string) => readonly string[];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const text =
  ({ pattern = /\S/, longest = Number.POSITIVE_INFINITY } = {}): Rule =>
  (value, at) =>
    typeof value === "string" && pattern.test(value) && value.length <= longest
      ? []
      : [`${at} is ${JSON.stringify(value)}`];

export const exactly =
  (...values: readonly unknown[]): Rule =>
  (value, at) =>
    values.includes(value) ? [] : [`${at} is ${JSON.stringify(value)}`];

export const list =
  (rule: Rule, { least = 0 } = {}): Rule =>
  (value, at) =>
    Array.isArray(value) && value.length >= least
      ? value.flatMap((each, index) => rule(each, `${at}[${index}]`))
      : [`${at} is no list of at least ${least}`];

/** An object whose names and values each follow a rule. */
export const mapOf =
  (rule: Rule, name: Rule = text()): Rule =>
  (value, at) =>
    isObject(value)
      ? Object.entries(value).flatMap(([key, each]) => [
          ...name(key, `a name in ${at}`),
          ...rule(each, `${at}.${key}`),
        ])
      : [`${at} is no object`];

/** An object with fields. Other fields are wrong if it is closed. */
export const fields =
  (
    required: Readonly<Record<string, Rule>>,
    optional: Readonly<Record<string, Rule>> = {},
    { closed = true } = {},
  ): Rule =>
  (value, at) => {
    if (!isObject(value)) return [`${at} is no object`];
    const known = { ...required, ...optional };
    const missing = Object.keys(required).filter((name) => value[name] === undefined);
    const unknown = closed ? Object.keys(value).filter((name) => !(name in known)) : [];
    return [
      ...missing.map((name) => `${at}.${name} is missing`),
      ...unknown.map((name) => `${at}.${name} is unknown`),
      ...Object.entries(known).flatMap(([name, rule]) =>
        value[name] === undefined ? [] : rule(value[name], `${at}.${name}`),
      ),
    ];
  };
