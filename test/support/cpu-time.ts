/**
 * What the work costs this thread. Wall time says as much about the machine's other work, and no
 * test may fail for that.
 */
export function measureCpuMs(run: () => void): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
