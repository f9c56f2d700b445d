import type { KindTexts } from "../secrets.ts";
import { mapTlsTexts } from "../tls/tls-facts.ts";
import type { GrpcMeasurement } from "./measurement.ts";
import type { GrpcRequest } from "./request.ts";

export const texts: KindTexts<GrpcRequest, GrpcMeasurement> = {
  mapRequest: (request, change) => ({
    ...request,
    hostname: change(request.hostname),
    metadata: request.metadata.map(({ key, value }) => ({
      key: change(key),
      value: change(value),
    })),
    message: request.message === null ? null : change(request.message),
    service: request.service === null ? null : change(request.service),
  }),
  mapMeasurement: (measurement, change) => ({
    ...measurement,
    resolvedIp: change(measurement.resolvedIp),
    statusMessage: change(measurement.statusMessage),
    message: change(measurement.message),
    metadata: measurement.metadata.map(([name, value]) => [change(name), change(value)] as const),
    tls: measurement.tls && mapTlsTexts(measurement.tls, change),
  }),
};
