/** Measures the memory of an open page after many live updates. */
import type { Bench } from "./server.ts";

const updates = 1_000;
const atOnce = 4;

async function ping({ url }: Bench, token: string, count: number): Promise<void> {
  let left = count;
  const pingSome = async () => {
    while (left-- > 0) {
      // Alternates between failure and success, so that each ping changes the state.
      const signal = left % 2 === 0 ? "" : "/1";
      await (await fetch(`${url}/ping/${token}${signal}`)).arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, pingSome));
}

export interface LiveMemory {
  readonly beforeMb: number;
  readonly afterMb: number;
  readonly updates: number;
}

export async function measureLiveMemory(bench: Bench): Promise<LiveMemory> {
  const heartbeat = { period: 1, periodUnit: "days", grace: 1, graceUnit: "hours" };
  const check = await bench.ask("POST", "/v1/checks/heartbeat", { name: "Backup", heartbeat });
  const token: string = check.heartbeat.pingToken;
  const page = await bench.open();
  await page.goto(`${bench.url}/`);
  const session = await page.context().newCDPSession(page);
  const measure = async () => {
    await session.send("HeapProfiler.collectGarbage");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    return usedSize / 1_000_000;
  };
  await ping(bench, token, updates / 5);
  await page.waitForTimeout(2_000);
  const beforeMb = await measure();
  await ping(bench, token, updates);
  await page.waitForTimeout(2_000);
  const afterMb = await measure();
  await page.context().close();
  return { beforeMb, afterMb, updates };
}
