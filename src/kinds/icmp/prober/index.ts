// Public interface of the ICMP engine: resolves names and sends echo requests to numeric addresses.
// A run is one series of echo requests to one address. Packet errors are data; only a caller's bug
// throws. One worker thread sends and receives, see echo-loop.ts.

export {
  createNameResolver,
  type NameResolver,
  type NameResolverOptions,
  type Resolution,
  type ResolveError,
} from "../../network/resolve.ts";
export type { EngineCounters } from "./counters.ts";
export type {
  EchoMode,
  EchoPacket,
  EchoRequest,
  EchoRun,
  MeasuredRun,
  PacketError,
} from "./echo-run.ts";
export { MAX_PINGS } from "./echo-run.ts";
export {
  type FamilyMode,
  type IcmpEngine,
  type IcmpEngineOptions,
  startIcmpEngine,
} from "./engine.ts";
export type { IpFamily } from "./packet.ts";
export type { EchoStatistics, Latency } from "./statistics.ts";
