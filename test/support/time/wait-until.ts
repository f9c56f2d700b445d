const minPauseMs = 10;
const maxPauseMs = 250;

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
  for (let askedMs = performance.now(); !(await isTrue()); askedMs = performance.now()) {
    if (performance.now() > lastMs) throw new Error(`After ${patienceMs} ms it is not so: ${what}`);
    // What takes long to ask leaves the machine to what is waited for.
    const pauseMs = Math.min(maxPauseMs, Math.max(minPauseMs, performance.now() - askedMs));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
