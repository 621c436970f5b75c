/** Of what is still being put together, before anybody else knows of it. */
export type Writable<T> = { -readonly [F in keyof T]: T[F] };
