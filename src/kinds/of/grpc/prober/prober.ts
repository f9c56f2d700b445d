import type { Prober, ProberTools } from "../../../kit/prober.ts";
import { startSocketProber } from "../../../wire/network/socket-prober.ts";
import type { GrpcMeasurement } from "../measurement.ts";
import { type GrpcRequest, isGrpcRequest, texts } from "../request.ts";
import type { GrpcCall } from "./measure.ts";

export async function startGrpcProber(tools: ProberTools): Promise<Prober> {
  return startSocketProber<GrpcRequest, GrpcMeasurement>(tools, {
    module: new URL("./measure.ts", import.meta.url),
    isRequest: isGrpcRequest,
    readCall: ({ request, clientCertificate = null }): GrpcCall => ({ request, clientCertificate }),
    texts,
    // Always true, because even a call that ends with an error status proves that the network
    // works.
    isFlawless: () => true,
  });
}
