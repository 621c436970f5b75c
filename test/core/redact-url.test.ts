import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { oneLine } from "../../src/core/text/escape.ts";
import { redactArgument, redactMessage, redactUrl } from "../../src/core/text/redact.ts";
import { sized } from "../full.ts";
import { encodings, end, form, secret, start } from "./connection-strings.ts";

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

  test("leaves other arguments unchanged", () => {
    for (const word of ["Fix the parser: now", "me@example.org", "14:05", "a/b.ts", "--x=1", "t4"])
      expect(redactArgument(word)).toBe(word);
  });
});

describe("redacting a message", () => {
  const shortened = fc.constantFrom(20, 40, 60, 500);
  const repeats: readonly ((given: string) => string)[] = [
    (given) => `There is no command "${given}". Give a URL such as postgres://user@host/database.`,
    (given) => `There is no option ${given}. Did you mean --store?`,
    (given) => `${oneLine(given)} is one argument too many.`,
    (given) => JSON.stringify({ problem: given }),
  ];

  test("hides the password of an argument, even if the message shortens it", {
    tags: ["printed-password"],
  }, () => {
    fc.assert(
      fc.property(
        form,
        secret,
        fc.constantFrom(...encodings),
        fc.constantFrom(...repeats),
        shortened,
        fc.constantFrom("", "--store=", "--meta=key=", "x,"),
        (form, secret, encode, repeat, length, before) => {
          const value = form(encode(secret));
          // The message of a comma-separated option quotes its first unknown value.
          const repeated = before === "x," ? (value.split(",")[0] ?? "") : value;
          const given = [`${before}${value}`];
          const message = redactMessage(repeat(repeated.slice(0, length)), given);
          for (const part of [start, end, encode(start), encode(end)])
            expect(message).not.toContain(part);
        },
      ),
      { numRuns: sized(2_000, 20_000) },
    );
  });

  test.each([
    ["connect postgres://me:Zq9@db/team: refused", "connect postgres://me:...@db/team: refused"],
    ["Cannot reach (mysql://me:Zq9@db/d?x=1).", "Cannot reach (mysql://me:...@db/d?...)."],
    ["bad URL postgres:/me:Zq9@db", "bad URL ..."],
    ["bad URL postgres//me:Zq9@db", "bad URL ..."],
    ["bad URL postgres://me%3AZq9@db", "bad URL postgres://...@db"],
    ["dsn: host=db password=Zq9 dbname=x", "dsn: host=db ... dbname=x"],
    ["dsn: host=db password='Zq 9' dbname=x", "dsn: host=db ... dbname=x"],
    ["jdbc:postgresql://me:Zq9@db/x", "..."],
  ])(
    "hides a password from any other source: %s",
    { tags: ["printed-password"] },
    (message, shown) => {
      expect(redactMessage(message)).toBe(shown);
    },
  );

  test("leaves everything else unchanged", () => {
    const given = ["postgres://me:Zq9@db/team", "team.db", "Fix: the parser", "s1@laptop"];
    for (const message of [
      "Give a URL such as postgres://user@host/database, or leave it out.",
      "The page is at http://127.0.0.1:4400/#board; see https://example.org/a?b=c.",
      "s1@laptop: refused at 14:05 by ann@laptop, see C:\\a@b\\c and /home/a@b/x:1",
      'There is no task "t4". Fix: the parser, team.db',
      "--limit=3 and KEY=VALUE",
    ])
      expect(redactMessage(message, given)).toBe(message);
  });

  test("takes linear time", () => {
    const began = performance.now();
    for (const part of ["a:", ":@", "password=", "/:", "=,", "%3a@", "x"])
      redactMessage(part.repeat(100_000), [part.repeat(100_000)]);
    // A hundred words of the greatest length that is searched for logins.
    const word = `@${"/".repeat(600)}E${"%3A".repeat(450)}`;
    redactMessage(`${word} `.repeat(100), [`${"/=".repeat(100_000)}//`]);
    expect(performance.now() - began).toBeLessThan(3_000);
  });

  test("finds logins and password options like the patterns of their definition", () => {
    const login = /(?:[a-z][a-z\d+.-]*:|\/)\/*[^\s/:]*(?::|%3a)\S*@|(?:pass|pw|secret|token)\w*=/i;
    const connection = /:\/|\/\/|[:=].*@|(?:pass|pw|secret|token)\w*=/is;
    const part = fc.constantFrom(..."aZ1+.-:/@=_%é\n", "%3a", "%3A", "pass", "pw", "token");
    const word = fc.array(part, { minLength: 1, maxLength: 9 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(word, (text) => {
        expect(redactArgument(text)).toBe(connection.test(text) ? redactUrl(text) : text);
        if (/[\s@=]/.test(text)) return;
        const whole = `${text}@`;
        if (!login.test(whole)) expect(redactMessage(whole)).toBe(whole);
        else if (redactUrl(whole) !== whole) expect(redactMessage(whole)).not.toBe(whole);
      }),
      { numRuns: 3_000 },
    );
  });
});
