/** Checks per request; the API accepts up to 500. */
const batchSize = 500;

/** Creates checks by `POST /v1/checks/many`, with two requests at a time. */
export async function createManyChecks(
  { url, key }: { readonly url: string; readonly key: string },
  count: number,
  describe: (index: number) => object,
): Promise<void> {
  let next = 0;
  const createSome = async () => {
    for (let from = next; from < count; from = next) {
      next += batchSize;
      const length = Math.min(batchSize, count - from);
      const answer = await fetch(`${url}/v1/checks/many`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({
          checks: Array.from({ length }, (_, index) => describe(from + index)),
        }),
      });
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(text);
      const { created, items } = JSON.parse(text);
      if (created !== length) throw new Error(JSON.stringify(items));
    }
  };
  await Promise.all([createSome(), createSome()]);
}
