import type { Prober, ProberTools } from "../../../kit/prober.ts";
import { startSocketProber } from "../../../wire/network/socket-prober.ts";
import { computeTotalMs, type TcpMeasurement } from "../measurement.ts";
import { isTcpRequest, type TcpRequest, texts } from "../request.ts";

export async function startTcpProber(tools: ProberTools): Promise<Prober> {
  return startSocketProber<TcpRequest, TcpMeasurement>(tools, {
    module: new URL("./measure.ts", import.meta.url),
    isRequest: isTcpRequest,
    texts,
    isFlawless: (measurement) => computeTotalMs(measurement) !== null,
  });
}
