import type { KindTexts } from "../texts.ts";
import { mapTlsTexts } from "../tls/tls-texts.ts";
import type { SslMeasurement } from "./measurement.ts";
import type { SslRequest } from "./request.ts";

export const texts: KindTexts<SslRequest, SslMeasurement> = {
  mapRequest: (request, change) => ({
    ...request,
    hostname: change(request.hostname),
    serverName: request.serverName === null ? null : change(request.serverName),
  }),
  mapMeasurement: (measurement, change) => ({
    ...measurement,
    resolvedIp: change(measurement.resolvedIp),
    tls: mapTlsTexts(measurement.tls, change),
  }),
};
