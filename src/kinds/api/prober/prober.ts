import { isWhole } from "../../http/http-figures.ts";
import { startSocketProber } from "../../network/socket-prober.ts";
import type { Prober, ProberTools } from "../../prober.ts";
import type { ApiMeasurement } from "../measurement.ts";
import { type ApiRequest, bodyTypes, methods, texts } from "../request.ts";
import type { ApiCall } from "./probe.ts";

export async function startApiProber(tools: ProberTools): Promise<Prober> {
  return startSocketProber<ApiRequest, ApiMeasurement>(tools, {
    module: new URL("./probe.ts", import.meta.url),
    readCall: ({ request, clientCertificate = null, isTrial = false, ...order }): ApiCall => ({
      request,
      clientCertificate,
      keepsAnswer: isTrial,
      // Orders for remote probes do not contain the account; checks take turns instead.
      account: order.accountId ?? order.checkId,
    }),
    isRequest: isApiRequest,
    texts,
    isFlawless: ({ bodyEnd, isKept }) => isWhole(bodyEnd) && !isKept,
  });
}

const maxTimeoutMs = 300_000;

/** Orders come from the server, but it may run another version. */
export function isApiRequest(value: unknown): value is ApiRequest {
  if (typeof value !== "object" || value === null) return false;
  const request = value as Partial<Record<keyof ApiRequest, unknown>>;
  const { method, url, body, bodyType, headers, queryParameters, assertions } = request;
  const { ipFamily, timeoutMs, basicAuth } = request;
  return (
    methods.some((known) => known === method) &&
    bodyTypes.some((known) => known === bodyType) &&
    typeof url === "string" &&
    typeof body === "string" &&
    [headers, queryParameters, assertions].every(Array.isArray) &&
    (ipFamily === "IPv4" || ipFamily === "IPv6") &&
    typeof basicAuth === "object" &&
    typeof timeoutMs === "number" &&
    timeoutMs > 0 &&
    timeoutMs <= maxTimeoutMs
  );
}
