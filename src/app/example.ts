import { networkInterfaces } from "node:os";
import type { Bootstrapped } from "../access/accounts/index.ts";
import { allKinds } from "../kinds/index.ts";
import type { HttpServer } from "../platform/http/server.ts";

/** Paths of the status page and the dashboard that belong to the example. */
export const examplePaths = { statusPage: "/status/example", dashboard: "/dashboards/wall" };

function hasIpv6Loopback(): boolean {
  const addresses = Object.values(networkInterfaces()).flat();
  return addresses.some((one) => one?.family === "IPv6" && one.internal);
}

/** Replaces a wildcard address in a URL by a loopback address, which this machine can request. */
function toReachable(listening: string): string {
  return listening.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//127.0.0.1:");
}

/**
 * Creates an example through the API, so that a new installation has live data: checks of this
 * machine every ten seconds, shown on a status page and on a dashboard.
 */
export async function createExample(
  server: HttpServer,
  first: Bootstrapped,
  listening: string,
): Promise<void> {
  const post = async (url: string, body: object): Promise<{ readonly id: string }> => {
    const headers = { authorization: `Bearer ${first.apiKey}` };
    const answer = await server.inject({ method: "POST", url, headers, payload: body });
    if (answer.statusCode >= 300) throw new Error(`POST ${url} answered ${answer.statusCode}`);
    return answer.json();
  };
  const tags = ["example"];
  const machine = { hasIpv6: hasIpv6Loopback(), serviceUrl: toReachable(listening) };
  for (const kind of allKinds) {
    for (const check of kind.listExamples(machine)) {
      const every = { frequency: 0, frequencyOffset: 10 };
      await post(`/v1/checks/${kind.path}`, { tags, ...every, ...check });
    }
  }
  const name = "This machine";
  const service = await post("/v1/status-pages/services", { name, follows: { tags } });
  const cards = [{ name: "Example", services: [{ id: service.id }] }];
  await post("/v1/status-pages", { name: "Example", url: "example", cards });
  const header = "Example: this machine";
  // It shows only the example checks, so it may be public like the example status page.
  const content = { header, tags, enableIncidents: true, isPrivate: false };
  await post("/v1/dashboards", { ...content, customUrl: "wall" });
}
