/**
 * Remote probes. The *gateway* accepts their WebSocket connections, and probes on NATS register by
 * messages. Probes of one location are compared with each other, and the outstanding runs of
 * private locations are counted.
 * Tables: none.
 */

export { addProbeRoutes } from "./asset-uploads.ts";
export { createProbeMetrics, type ProbesContext } from "./context.ts";
export { isProbeRequest, ProbeGateway } from "./gateway/gateway.ts";
export { startProbeLoops } from "./loops.ts";
export { callProbes, followKeys, registerNatsProbes } from "./nats-probes.ts";
