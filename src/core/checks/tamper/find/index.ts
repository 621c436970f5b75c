import type { Language } from "../languages.ts";
import type { Source } from "../source.ts";
import { findAnnotated, findGo, findPhp, findRust, findShell } from "./blocks.ts";
import { findCalls } from "./calls.ts";
import type { Found } from "./found.ts";
import { findPython, findRuby } from "./indented.ts";

/** Finds the tests of a file, by language. */
export const FINDERS: Readonly<
  Record<Language, (source: Source, path: string) => readonly Found[]>
> = {
  js: findCalls,
  python: findPython,
  go: findGo,
  rust: findRust,
  jvm: findAnnotated,
  csharp: findAnnotated,
  ruby: findRuby,
  php: findPhp,
  sh: findShell,
};
