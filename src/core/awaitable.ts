/** A value that is there at once, or later: the memory store answers at once. */
export type Awaitable<T> = T | Promise<T>;

/** Goes on with the value when it is there, at once if it already is. */
export function andThen<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
