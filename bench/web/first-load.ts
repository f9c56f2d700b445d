/** Measures what a browser fetches for the first screen, with an empty cache. */
import type { Bench } from "./server.ts";

export interface FirstLoad {
  readonly scriptKb: number;
  readonly allKb: number;
  readonly requests: number;
}

export async function measureFirstLoad(bench: Bench, path: string): Promise<FirstLoad> {
  const page = await bench.open();
  await page.setExtraHTTPHeaders({ "accept-encoding": "gzip" });
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  const types = new Map<string, string>();
  let [script, all, requests] = [0, 0, 0];
  session.on("Network.responseReceived", ({ requestId, type }) => types.set(requestId, type));
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    requests += 1;
    all += encodedDataLength;
    if (types.get(requestId) === "Script") script += encodedDataLength;
  });
  await page.goto(`${bench.url}${path}`);
  await page.getByRole("navigation").first().waitFor();
  await page.waitForTimeout(3_000);
  await page.context().close();
  return { scriptKb: script / 1_000, allKb: all / 1_000, requests };
}
