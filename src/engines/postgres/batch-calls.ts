/**
 * Batches calls that arrive while others are in flight: a statement for many calls costs little more
 * than one for a single call. With none in flight, a call runs at once.
 */
export function batchCalls<I, O>(
  work: (items: readonly I[]) => Promise<readonly O[]>,
  { ways: concurrency, most: maxBatch }: { readonly ways: number; readonly most: number },
): (item: I) => Promise<O | undefined> {
  interface PendingCall {
    readonly item: I;
    resolve(answer: O | undefined): void;
    reject(reason: unknown): void;
  }
  let pending: PendingCall[] = [];
  let inFlight = 0;

  async function runBatch(): Promise<void> {
    const batch = pending.slice(0, maxBatch);
    // An earlier batch took them.
    if (batch.length === 0) return;
    pending = pending.slice(maxBatch);
    inFlight += 1;
    try {
      const answers = await work(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => {
        resolve(answers[index]);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      inFlight -= 1;
      if (pending.length > 0) void runBatch();
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      pending.push({ item, resolve, reject });
      if (inFlight < concurrency && pending.length === 1) queueMicrotask(() => void runBatch());
    });
}
