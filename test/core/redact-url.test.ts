import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redactArgument, redactUrl } from "../../src/core/redact-url.ts";
import { sized } from "../full.ts";

describe("redacting a connection string", () => {
  test.each([
    ["postgres://me@db/team", "postgres://me@db/team"],
    ["postgres://me:secret@db:5432/team", "postgres://me:...@db:5432/team"],
    ["postgresql://:secret@[::1]:5432/team", "postgresql://:...@[::1]:5432/team"],
    ["postgress://me:secret@db/team", "postgress://me:...@db/team"],
    ["postgres://me:sec@ret@db/team", "postgres://me:...@db/team"],
    ["postgres://db/team?password=secret", "postgres://db/team?..."],
    ["postgres://me:secret@/team?host=/run/postgresql", "postgres://me:...@/team?..."],
    ["postgres://me:secret@%2Frun%2Fpostgresql/team", "postgres://me:...@%2Frun%2Fpostgresql/team"],
    ["postgres://me%3Asecret@db/team", "postgres://...@db/team"],
    ["postgres://me:sec/ret@db/team", "postgres://..."],
    ["postgres://me:12?secret@db/team", "postgres://..."],
    ["postgres://me:secret", "postgres://..."],
    ["postgres:/me:secret@db/team", "..."],
    ["me:secret@db/team", "..."],
    ["host=db password=secret", "..."],
    ["team.db", "team.db"],
  ])("%s is shown as %s", (given, shown) => {
    expect(redactUrl(given)).toBe(shown);
  });

  const encodings: readonly ((secret: string) => string)[] = [
    (secret) => secret,
    encodeURIComponent,
    encodeURI,
    (secret) => [...Buffer.from(secret)].map((byte) => `%${byte.toString(16)}`).join(""),
  ];
  const start = "Zq9";
  const end = "Wx7";
  /** Hostile in the middle, recognizable at both ends: what leaks of it can be told from everything else. */
  const secret = fc
    .array(fc.constantFrom(..."@:/?#%&=;, []\\'\"+$ü\n1a"), { maxLength: 8 })
    .map((middle) => `${start}${middle.join("")}${end}`);
  const scheme = fc.constantFrom(
    ...["postgres://", "postgresql://", "POSTGRES://", "postgress://", "postgres:/", "postgres:"],
    ...["postgres//", "mysql://", "//", "", "https://", " postgres://", "jdbc:postgresql://"],
  );
  const host = fc.constantFrom("db", "db.example.org:5432", "[::1]:5432", "127.0.0.1", "");
  const name = fc.constantFrom(
    "password",
    "PASSWORD",
    "pass",
    "sslpassword",
    "passwd",
    "pw",
    "token",
  );
  const rest = fc.constantFrom("", "/", "/team", "/team?sslmode=require", "/team#part");
  const form = fc.oneof(
    fc.tuple(scheme, host, rest).map(
      ([scheme, host, rest]) =>
        (secret: string) =>
          `${scheme}me:${secret}@${host}${rest}`,
    ),
    fc.tuple(scheme, host, rest).map(
      ([scheme, host, rest]) =>
        (secret: string) =>
          `${scheme}:${secret}@${host}${rest}`,
    ),
    fc.tuple(scheme, host, name, fc.constantFrom("?", "&", "#", ";", "?sslmode=require&")).map(
      ([scheme, host, name, mark]) =>
        (secret: string) =>
          `${scheme}me@${host}/team${mark}${name}=${secret}`,
    ),
    fc.tuple(host, name).map(
      ([host, name]) =>
        (secret: string) =>
          `host=${host} ${name}='${secret}' dbname=team`,
    ),
  );

  test("shows no part of a password in any form of URL", () => {
    fc.assert(
      fc.property(form, secret, fc.constantFrom(...encodings), (form, secret, encode) => {
        const given = form(encode(secret));
        for (const shown of [redactUrl(given), redactArgument(given)]) {
          for (const part of [start, end, encode(start), encode(end)])
            expect(shown).not.toContain(part);
        }
      }),
      { numRuns: sized(1_000, 5_000) },
    );
  });

  test("leaves arguments that are no connection strings unchanged", () => {
    for (const word of ["Fix the parser: now", "me@example.org", "14:05", "a/b.ts", "--x=1", "t4"])
      expect(redactArgument(word)).toBe(word);
  });
});
