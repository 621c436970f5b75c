// Connection strings with a password in every possible position.
import fc from "fast-check";

export const encodings: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  encodeURIComponent,
  encodeURI,
  (secret) => [...Buffer.from(secret)].map((byte) => `%${byte.toString(16)}`).join(""),
];
export const start = "Zq9";
export const end = "Wx7";
/** Hostile in the middle and recognizable at both ends, so every leak is detected. */
export const secret = fc
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
export const form = fc.oneof(
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
