/**
 * Remote probes. The *gateway* accepts the WebSocket connections of probes. Probes that are
 * directly connected to NATS register by messages. Probes of one location are compared with each
 * other to detect wrong results, and the outstanding runs of private locations are counted. Tables:
 * none.
 */

export { addProbeRoutes } from "./asset-uploads.ts";
export { createProbeMetrics, type ProbesContext } from "./context.ts";
export { isProbeRequest, ProbeGateway } from "./gateway/gateway.ts";
export { startProbeLoops } from "./loops.ts";
export { callProbes, followKeys, registerNatsProbes } from "./nats-probes.ts";
