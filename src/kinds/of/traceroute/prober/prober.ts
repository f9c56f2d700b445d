import type { Prober, ProberTools } from "../../../kit/prober.ts";
import { startSocketProber } from "../../../wire/network/socket-prober.ts";
import { computeLossPercent, isReached, type TracerouteMeasurement } from "../measurement.ts";
import { isTracerouteRequest, type TracerouteRequest, texts } from "../request.ts";
import { listRawLimitations } from "./permissions.ts";

export async function startTracerouteProber(tools: ProberTools): Promise<Prober> {
  const limitations = listRawLimitations();
  const prober = startSocketProber<TracerouteRequest, TracerouteMeasurement>(tools, {
    module: new URL("./measure.ts", import.meta.url),
    isRequest: isTracerouteRequest,
    texts,
    isFlawless: (measurement) => {
      const last = measurement.hops.at(-1);
      return isReached(measurement) && last !== undefined && computeLossPercent(last) === 0;
    },
  });
  return { ...prober, listLimitations: () => limitations };
}
