import type { Outcome } from "../../../contract/result.ts";
import type { Serve, SocketTools } from "../../network/socket-work.ts";
import type { TcpMeasurement, TcpTrouble } from "../measurement.ts";
import type { TcpRequest } from "../request.ts";
import { exchange } from "./exchange.ts";

type TcpOutcome = Outcome<TcpMeasurement>;
type Found = Pick<TcpTrouble, "resolvedIp" | "dnsMs">;

/** What this machine lacks; it says nothing about the target. */
const exhausted = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EAGAIN"]);
const unable: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: "This probe has no address of that family, or no free port.",
  EAFNOSUPPORT: "This probe has no network of that family.",
  EACCES: "This machine does not permit the connection.",
  EPERM: "This machine does not permit the connection.",
};

const troubles: Readonly<Record<string, readonly [kind: TcpTrouble["kind"], message: string]>> = {
  ECONNREFUSED: ["refused", "The host refused the connection: nothing listens on the port."],
  ECONNRESET: ["reset", "The connection was reset while it was being made."],
  EHOSTUNREACH: ["unreachable", "There is no way to the host."],
  ENETUNREACH: ["unreachable", "There is no way to the network of the host."],
  EHOSTDOWN: ["unreachable", "The host does not answer in its own network."],
  // Some firewalls answer like this.
  ENOPROTOOPT: ["unreachable", "A router refused to pass the connection on."],
};

function unreachable(kind: TcpTrouble["kind"], trouble: Omit<TcpTrouble, "kind">): TcpOutcome {
  const told: TcpTrouble = { kind, ...trouble };
  return { kind: "unreachable", trouble: told };
}

function explainFailure(code: string, request: TcpRequest, found: Found): TcpOutcome {
  const inability = unable[code];
  if (inability !== undefined) return { kind: "cannot-check", message: `${inability} (${code})` };
  if (exhausted.has(code)) {
    return { kind: "overloaded", message: `This probe cannot open more connections (${code}).` };
  }
  if (code === "ETIMEDOUT") {
    const message = `There was no answer within ${request.timeoutMs} ms.`;
    return unreachable("timed-out", { code, message, ...found });
  }
  const [kind, message] = troubles[code] ?? ["failed", "The connection could not be made."];
  return unreachable(kind, { code, message, ...found });
}

/** Resolves the name, connects, and says what was found. It never throws for the target. */
export async function probeTcp(
  request: TcpRequest,
  { resolver, reach }: SocketTools,
): Promise<TcpOutcome> {
  const { hostname, ipFamily, port, data, answer } = request;
  const resolution = await resolver.resolve(hostname, ipFamily);
  const { durationMs: dnsMs } = resolution;
  if (resolution.error !== undefined) {
    const { code, message } = resolution.error;
    // The name was never asked for: that is this probe's trouble and says nothing of the target.
    if (code === "EBUSY") return { kind: "overloaded", message };
    return unreachable("unresolved", { code, message, resolvedIp: null, dnsMs });
  }
  const { address: resolvedIp } = resolution;
  const found = { resolvedIp, dnsMs };
  const refusal = reach.findRefusal(resolvedIp);
  if (refusal !== null) {
    return unreachable("denied", { code: "EDENIED", message: refusal, ...found });
  }
  const timeoutMs = request.timeoutMs - dnsMs;
  if (timeoutMs <= 0) return explainFailure("ETIMEDOUT", request, found);
  const result = await exchange({ address: resolvedIp, port, data, answer, timeoutMs });
  if (result.kind === "failed") return explainFailure(result.code, request, found);
  const { kind: _connected, ...measured } = result;
  const sentBytes = Buffer.byteLength(data ?? "");
  return { kind: "measured", measurement: { resolvedIp, dnsMs, sentBytes, ...measured } };
}

export const serve: Serve<TcpRequest, TcpOutcome> = probeTcp;
