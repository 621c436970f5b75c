/** `T` with writable fields, for objects under construction. */
export type Writable<T> = { -readonly [F in keyof T]: T[F] };
