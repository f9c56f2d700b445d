import { Type } from "typebox";

/** Route of the built-in probes of servers. */
export const builtInRoute = "built-in";

const resultPrefix = "results.";

/**
 * Bus subjects. A *route* names the probes that may run a check: `built-in`, a public region, or
 * the id of a private location. If a probe on NATS publishes, the last part of the subject is its
 * NATS user. NATS permissions enforce this.
 */
export const subjects = {
  /**
   * Subjects of the built-in probes. `results` also carries results that the server creates itself.
   */
  orders: `orders.${builtInRoute}`,
  results: `${resultPrefix}${builtInRoute}`,
  allResults: `${resultPrefix}>`,
  /** Subject on which a server receives messages of probes about its trial runs. */
  trialMessagesOf: (serverId: string, route: string) => `news.${serverId}.${route}`,
  allTrialMessages: (serverId: string) => `news.${serverId}.>`,
  allProbes: "probes.>",
  ordersOf: (route: string) => `orders.${route}`,
  resultsOf: (route: string) => `${resultPrefix}${route}`,
  resultsFrom: (route: string, user: string) => `${resultPrefix}${route}.${user}`,
  trialEventsFrom: (serverId: string, route: string, user: string) =>
    `news.${serverId}.${route}.${user}`,
  probesFrom: (user: string) => `probes.${user}`,
} as const;

/** Maximum size of one frame on a WebSocket. Both ends reject larger frames. */
export const maxFrameBytes = 8 * 1024 * 1024;
/** Size at which a sender starts a new frame; a single larger message still gets its own frame. */
export const fullFrameBytes = 1024 * 1024;
export const maxOrdersInFrame = 1_000;
export const maxResultsInFrame = 500;
export const maxTrialEventsInFrame = 500;
/** Maximum number of run orders in progress at one probe, even if the probe allows more. */
export const maxOpenOrders = 10_000;
/** Maximum age of an unsent result. The probe drops older results, and the server rejects them. */
export const maxSpoolAgeMs = 12 * 3_600_000;

/** Schemas of fields that several messages have. Every field of a message has a maximum size. */
export const Id = Type.String({ pattern: "^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$" });
export const Label = Type.String({ minLength: 1, maxLength: 200 });
export const Count = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 });
export const Milliseconds = Type.Number({ minimum: 0, maximum: 2 ** 48 });

/** Version of the protocol of servers and probes. Raise it when a message changes its meaning. */
export const contractVersion = 1;

/** Maximum difference of two compatible versions. Compatible versions ignore unknown fields. */
const maxVersionsApart = 1;

/** Returns why two versions are incompatible and which to upgrade; `null` if compatible. */
export function explainVersionGap(
  server: number,
  probe: number,
): { readonly reason: "probe-too-old" | "probe-too-new"; readonly message: string } | null {
  if (Math.abs(server - probe) <= maxVersionsApart) return null;
  const isOld = probe < server;
  const [newer, older] = isOld ? ["server", "probe"] : ["probe", "server"];
  return {
    reason: isOld ? "probe-too-old" : "probe-too-new",
    message:
      `The ${newer} is more than one version ahead of the ${older}: the server speaks version ` +
      `${server} of the contract, the probe version ${probe}. Upgrade the ${older}.`,
  };
}
