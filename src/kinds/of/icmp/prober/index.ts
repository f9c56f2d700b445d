// Public interface of the ICMP engine, which sends echo requests to numeric addresses. A run is one
// series of echo requests to one address. Packet errors are returned as data; exceptions indicate a
// bug in the caller. One worker thread sends and receives packets: see echo-loop.ts.

export type { Resolution } from "../../../../platform/net/resolve.ts";
export type { EngineCounters } from "./counters.ts";
export type { EchoPacket, EchoRequest, EchoRun } from "./echo-run.ts";
export { type FamilyMode, type IcmpEngine, startIcmpEngine } from "./engine.ts";
export type { IpFamily } from "./packet.ts";
