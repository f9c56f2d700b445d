const minPauseMs = 10;
const maxPauseMs = 250;

let failure: Error | null = null;

/**
 * Makes every wait of this process fail with the error at once, because what they wait for cannot
 * happen any more; `null` ends this.
 */
export function failWaits(error: Error | null): void {
  failure = error;
}

export function findWaitFailure(): Error | null {
  return failure;
}

/**
 * Waits for a condition, and fails with its name after the timeout. A long timeout costs nothing if
 * the condition is met, and avoids false alarms on a busy machine.
 */
export async function waitUntil(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  timeoutMs = 180_000,
): Promise<void> {
  const lastMs = performance.now() + timeoutMs;
  for (let askedMs = performance.now(); !(await isTrue()); askedMs = performance.now()) {
    if (failure !== null) throw failure;
    if (performance.now() > lastMs)
      throw new Error(`After ${timeoutMs} ms the condition is not met: ${what}`);
    // A condition that is slow to evaluate is polled less often.
    const pauseMs = Math.min(maxPauseMs, Math.max(minPauseMs, performance.now() - askedMs));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
