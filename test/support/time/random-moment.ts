/** For tests that kill or ask at a moment nobody chose; to wait for something, use waitUntil. */
export function waitForRandomMoment(withinMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * withinMs));
}
