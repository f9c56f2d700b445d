import type { Order } from "../../../../contract/order.ts";
import type { Prober, ProberTools } from "../../../kit/prober.ts";
import { isWhole } from "../../../wire/http/http-figures.ts";
import { startSocketProber } from "../../../wire/network/socket-prober.ts";
import type { ApiMeasurement } from "../measurement.ts";
import { type ApiRequest, bodyTypes, methods } from "../request.ts";
import { isApiScripts } from "../scripts.ts";
import { texts } from "../texts.ts";
import type { ApiCall, ApiReply } from "./measure.ts";
import { runWithScripts, type ScriptedRequest } from "./scripted-run.ts";

const module = new URL("./measure.ts", import.meta.url);

function toCall(order: Order, request: ApiRequest): ApiCall {
  const { clientCertificate = null, isTrial = false, accountId, checkId } = order;
  // Run orders for remote probes contain no account id. The check id replaces it as the owner.
  const account = accountId ?? checkId;
  return { request, clientCertificate, keepsAnswer: isTrial, account };
}

export async function startApiProber(tools: ProberTools): Promise<Prober> {
  const plain = startSocketProber<ApiRequest, ApiMeasurement>(tools, {
    module,
    readCall: (order) => toCall(order, order.request),
    isRequest: isApiRequest,
    texts,
    isFlawless: ({ bodyEnd, isKept }) => isWhole(bodyEnd) && !isKept,
  });
  const calls = tools.socketThread.open<ApiCall, ApiReply>(module);
  return {
    ...plain,
    run: (order, onStep) => {
      const { request } = order;
      if (!isApiRequest(request) || !isScripted(request)) return plain.run(order, onStep);
      const { scripts } = tools;
      return runWithScripts(
        { ...order, request },
        { scripts, calls, toCall: (sent) => toCall(order, sent), onStep },
      );
    },
    // If a request has scripts, this prober fills in the variables itself, because the setup script
    // may set variables.
    fillsVariables: (request) => isScripted(request as ApiRequest),
    shortenRequest: (request) => {
      const { scripts: _scripts, ...shown } = request as ApiRequest;
      return shown;
    },
    listLimitations: () => tools.scripts.listLimitations(),
    close: async () => {
      calls.close();
      await plain.close();
    },
  };
}

function isScripted(request: ApiRequest): request is ScriptedRequest {
  return request.scripts !== undefined;
}

const maxTimeoutMs = 300_000;

/** Validates the request of a run order, because the server may run another version. */
function isApiRequest(value: unknown): value is ApiRequest {
  if (typeof value !== "object" || value === null) return false;
  const request = value as Partial<Record<keyof ApiRequest, unknown>>;
  const { method, url, body, bodyType, headers, queryParameters, assertions } = request;
  const { ipFamily, timeoutMs, basicAuth, scripts } = request;
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
    timeoutMs <= maxTimeoutMs &&
    (scripts === undefined || isApiScripts(scripts))
  );
}
