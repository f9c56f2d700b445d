import type { Prober, ProberTools } from "../../../kit/prober.ts";
import { noTexts } from "../../../kit/secrets.ts";
import { startSocketProber } from "../../../wire/network/socket-prober.ts";
import type { DnsMeasurement } from "../measurement.ts";
import { type DnsRequest, isDnsRequest } from "../request.ts";
import { noError } from "../wire/record-types.ts";

export async function startDnsProber(tools: ProberTools): Promise<Prober> {
  return startSocketProber<DnsRequest, DnsMeasurement>(tools, {
    module: new URL("./measure.ts", import.meta.url),
    isRequest: isDnsRequest,
    texts: noTexts,
    isFlawless: ({ responseCode, queriesSent }) => responseCode === noError && queriesSent <= 2,
  });
}
