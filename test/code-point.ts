import fc from "fast-check";

const SURROGATES = 0x800;

/**
 * Any character as the unit of a string. Replaces the unit "binary" of fast-check, which spends a second and 100 MB
 * on a table of all characters in every process.
 */
export const CODE_POINT = fc
  .nat(0x10ffff - SURROGATES)
  .map((n) => String.fromCodePoint(n < 0xd800 ? n : n + SURROGATES));
