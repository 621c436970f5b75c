/**
 * Lets calls that come while others are under way wait for each other and go together: a statement for
 * many costs little more than one for a single call. Nobody waits who need not: with none under way a
 * call goes at once.
 */
export function together<I, O>(
  work: (items: readonly I[]) => Promise<readonly O[]>,
  { ways, most }: { readonly ways: number; readonly most: number },
): (item: I) => Promise<O | undefined> {
  interface Waiting {
    readonly item: I;
    resolve(answer: O | undefined): void;
    reject(reason: unknown): void;
  }
  let waiting: Waiting[] = [];
  let underWay = 0;

  async function go(): Promise<void> {
    const batch = waiting.slice(0, most);
    // Another one took them along.
    if (batch.length === 0) return;
    waiting = waiting.slice(most);
    underWay += 1;
    try {
      const answers = await work(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, place) => {
        resolve(answers[place]);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      underWay -= 1;
      if (waiting.length > 0) void go();
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (underWay < ways && waiting.length === 1) queueMicrotask(() => void go());
    });
}
