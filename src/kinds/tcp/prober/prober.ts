import { startSocketProber } from "../../network/socket-prober.ts";
import type { Prober, ProberTools } from "../../prober.ts";
import { computeTotalMs, type TcpMeasurement } from "../measurement.ts";
import { isTcpRequest, type TcpRequest, texts } from "../request.ts";

export async function startTcpProber(tools: ProberTools): Promise<Prober> {
  return startSocketProber<TcpRequest, TcpMeasurement>(tools, {
    module: new URL("./probe.ts", import.meta.url),
    isRequest: isTcpRequest,
    texts,
    isFlawless: (measurement) => computeTotalMs(measurement) !== null,
  });
}
