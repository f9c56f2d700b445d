import type { Prober, ProberTools } from "../../../kit/prober.ts";
import { isWhole } from "../../../wire/http/http-figures.ts";
import { startSocketProber } from "../../../wire/network/socket-prober.ts";
import type { UrlMeasurement } from "../measurement.ts";
import { isUrlRequest, texts, type UrlRequest } from "../request.ts";
import type { UrlCall } from "./measure.ts";

export async function startUrlProber(tools: ProberTools): Promise<Prober> {
  return startSocketProber<UrlRequest, UrlMeasurement>(tools, {
    module: new URL("./measure.ts", import.meta.url),
    isRequest: isUrlRequest,
    readCall: ({ request, clientCertificate = null, isTrial = false }): UrlCall => ({
      request,
      clientCertificate,
      keepsAnswer: isTrial,
    }),
    texts,
    isFlawless: ({ bodyEnd }) => isWhole(bodyEnd),
  });
}
