import type { KindTexts } from "../texts.ts";
import type { TcpMeasurement } from "./measurement.ts";
import type { TcpRequest } from "./request.ts";

export const texts: KindTexts<TcpRequest, TcpMeasurement> = {
  mapRequest: (request, change) => ({
    ...request,
    hostname: change(request.hostname),
    data: request.data === null ? null : change(request.data),
  }),
  mapMeasurement: (measurement, change) => ({
    ...measurement,
    resolvedIp: change(measurement.resolvedIp),
    text: change(measurement.text),
  }),
};
