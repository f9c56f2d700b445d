import type { Outcome } from "../../../contract/result.ts";
import { explainFailure, findHost } from "../../network/reach-host.ts";
import type { Serve, SocketTools } from "../../network/socket-work.ts";
import type { TcpMeasurement } from "../measurement.ts";
import type { TcpRequest } from "../request.ts";
import { exchange } from "./exchange.ts";

type TcpOutcome = Outcome<TcpMeasurement>;

/** Resolves the name, connects and returns the outcome. Never throws for network errors. */
export async function probeTcp(request: TcpRequest, tools: SocketTools): Promise<TcpOutcome> {
  const host = await findHost(request, tools);
  if (host.kind !== "found") return host;
  const { resolvedIp, dnsMs } = host;
  const { port, data, answer } = request;
  const timeoutMs = request.timeoutMs - dnsMs;
  if (timeoutMs <= 0) return explainFailure("ETIMEDOUT", request.timeoutMs, { resolvedIp, dnsMs });
  const result = await exchange({
    address: resolvedIp,
    port,
    data,
    answer,
    timeoutMs,
    onStep: tools.onStep,
  });
  if (result.kind === "failed") {
    return explainFailure(result.code, request.timeoutMs, { resolvedIp, dnsMs });
  }
  const { kind: _connected, ...measured } = result;
  const sentBytes = Buffer.byteLength(data ?? "");
  return { kind: "measured", measurement: { resolvedIp, dnsMs, sentBytes, ...measured } };
}

export const serve: Serve<TcpRequest, TcpOutcome> = probeTcp;
