import { type ClientRequest, request } from "node:http";
import { setTimeout } from "node:timers/promises";
import { listTree, readCpuSeconds } from "../scale/processes.ts";
import { type Figure, spawnServer, write } from "../support.ts";

const streamCount = 200;
/** The server limits streams per address to fifty, so viewers use several addresses. */
const streamsPerAddress = 40;
const lookEveryMs = 60_000;
const settleMs = 15_000;
const watchedMs = 60_000;

interface Opened {
  readonly requests: ClientRequest[];
  readonly stop: () => void;
}

/** Behaves like the page's script: a stream, and a poll every minute. */
async function openStream(url: string, index: number): Promise<ClientRequest> {
  const localAddress = `127.0.0.${2 + Math.floor(index / streamsPerAddress)}`;
  return new Promise((resolve, reject) => {
    const stream = request(`${url}/events`, { localAddress }, (answer) => {
      answer.resume();
      if (answer.statusCode === 200) resolve(stream);
      else reject(new Error(`a stream was refused: ${answer.statusCode}`));
    });
    stream.on("error", reject);
    stream.end();
  });
}

async function openStreams(url: string): Promise<Opened> {
  const requests: ClientRequest[] = [];
  const timers: NodeJS.Timeout[] = [];
  for (let index = 0; index < streamCount; index += 1) {
    requests.push(await openStream(url, index));
    const page = 1 + (index % 25);
    const look = () =>
      void fetch(`${url}/view?page=${page}`, { headers: { "accept-encoding": "gzip" } })
        .then((answer) => answer.arrayBuffer())
        .catch(() => {});
    // Spread over the minute, like screens switched on at different times.
    setTimeout((index * lookEveryMs) / streamCount).then(() => {
      look();
      timers.push(setInterval(look, lookEveryMs));
    });
  }
  return {
    requests,
    stop: () => {
      for (const timer of timers) clearInterval(timer);
      for (const one of requests) one.destroy();
    },
  };
}

/** Returns the share of one core used by a process and its descendants. */
async function watchCpu(pid: number): Promise<number> {
  const before = readCpuSeconds(listTree(pid));
  await setTimeout(watchedMs);
  return (readCpuSeconds(listTree(pid)) - before) / (watchedMs / 1_000);
}

/** Measures the whole product with its own database, first idle and then with open streams. */
export async function measureOpenStreams(dataDir: string, dashboardId: string): Promise<Figure[]> {
  const product = await spawnServer("bin/vedette.ts", ["server"], {
    PORT: "0",
    DATA_DIR: dataDir,
    RATE_LIMIT_PER_MINUTE: "0",
    BUILT_IN_PROBE: "false",
    LOG_LEVEL: "warn",
  });
  const { pid = 0 } = product.child;
  const url = `${product.url}/dashboards/${dashboardId}`;
  write(
    `Watching the product alone, and then with ${streamCount} open dashboards; two minutes and a half …`,
  );
  await setTimeout(settleMs);
  const alone = await watchCpu(pid);
  const opened = await openStreams(url);
  await setTimeout(settleMs);
  const watched = await watchCpu(pid);
  opened.stop();
  await product.stop();
  return [
    { name: "the product alone, share of one core", value: alone },
    { name: `with ${streamCount} open dashboards`, value: watched },
    { name: `what ${streamCount} idle dashboards cost`, value: watched - alone, atMost: 0.1 },
  ];
}
