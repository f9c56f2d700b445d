const minPauseMs = 10;
const maxPauseMs = 250;

let failure: Error | null = null;

/**
 * Makes every wait in this process fail with the error immediately, because the awaited condition
 * can no longer occur. `null` restores normal waiting.
 */
export function failWaits(error: Error | null): void {
  failure = error;
}

export function findWaitFailure(): Error | null {
  return failure;
}

/**
 * Waits until a condition is true. After the timeout, fails with the name of the condition. The
 * timeout is long, because a long timeout costs nothing if the condition is met and avoids false
 * alarms on a busy machine.
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
    // The pause is at least as long as the evaluation took, so that a slow condition is evaluated
    // less often.
    const pauseMs = Math.min(maxPauseMs, Math.max(minPauseMs, performance.now() - askedMs));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
