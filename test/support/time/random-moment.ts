/**
 * Waits for a random time, for tests that kill or query at a random time. To wait for a condition,
 * use `waitUntil`.
 */
export function waitRandomly(withinMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * withinMs));
}
