/**
 * Waits for a condition, and fails with its name when it does not come true in time. Patience costs
 * nothing where the condition comes true, and spares a false alarm on a machine with other work.
 */
export async function waitUntil(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  patienceMs = 180_000,
): Promise<void> {
  const lastMs = performance.now() + patienceMs;
  while (!(await isTrue())) {
    if (performance.now() > lastMs) throw new Error(`After ${patienceMs} ms it is not so: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
