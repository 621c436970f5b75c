/** A value or a promise of it. Stores in memory return values, all others promises. */
export type Awaitable<T> = T | Promise<T>;

/** Applies `next` to the value; synchronously if it is not a promise. */
export function andThen<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
