import { Type } from "typebox";
import { OrNull } from "../../platform/http/schema.ts";
import { clipText } from "../../platform/text/clip.ts";
import type { KindTools } from "../kind.ts";
import { roundFigure } from "../round-figure.ts";
import { buildResponse } from "./document.ts";
import type { UrlMeasurement } from "./measurement.ts";
import type { UrlRequest, UrlSettings } from "./request.ts";

const figure = (description: string) => OrNull(Type.Number({ description }));
/** Enough for a person to recognise a response without filling a model's context. */
const maxShownLength = 500;

export const tools: KindTools<UrlSettings, UrlRequest, UrlMeasurement> = {
  checkFields: {
    ipFamily: Type.String({ description: "IPv4 or IPv6" }),
    followRedirects: Type.Boolean({ description: "whether redirects are followed" }),
    degradedResponseTime: figure("milliseconds above which a run is degraded"),
    maxResponseTime: figure("milliseconds above which a run is failing"),
  },
  describeCheck: ({ request, degradedResponseTime, maxResponseTime }) => ({
    ipFamily: request.ipFamily,
    followRedirects: request.followRedirects,
    degradedResponseTime,
    maxResponseTime,
  }),
  resultFields: {
    statusCode: OrNull(Type.Integer({ description: "the status code of the response" })),
    dnsMs: figure("name resolution time"),
    connectMs: figure("time to connect"),
    tlsMs: figure("TLS handshake time"),
    firstByteMs: figure("time to first byte"),
  },
  describeResult: (measurement) => ({
    statusCode: measurement?.status ?? null,
    dnsMs: roundFigure(measurement?.phases.dnsMs ?? null),
    connectMs: roundFigure(measurement?.phases.connectMs ?? null),
    tlsMs: roundFigure(measurement?.phases.tlsMs ?? null),
    firstByteMs: roundFigure(measurement?.phases.firstByteMs ?? null),
  }),
  runFields: {
    url: Type.String({ description: "the last requested URL" }),
    resolvedIp: OrNull(Type.String({ description: "the IP address that the name resolved to" })),
    ipFamily: Type.String(),
    statusText: Type.String({ description: "the status text" }),
    httpVersion: OrNull(Type.String()),
    redirectCount: Type.Integer({ description: "number of followed redirects" }),
    certificateValidTo: OrNull(Type.String({ description: "expiry date of the certificate" })),
    body: OrNull(Type.String({ description: "the beginning of the body, if the run failed" })),
  },
  describeRun: (run) => {
    const response = buildResponse(run);
    const { body } = response;
    return {
      url: response.url,
      resolvedIp: response.resolvedIp,
      ipFamily: response.ipFamily,
      statusText: response.statusText,
      httpVersion: response.httpVersion,
      redirectCount: response.redirects.length,
      certificateValidTo: response.certificate?.validTo ?? null,
      body: body === null ? null : clipText(body, maxShownLength),
    };
  },
  reasonFields: {
    status: Type.Optional(Type.Integer()),
    receivedBytes: Type.Optional(Type.Integer()),
  },
  figureFields: { firstByteMs: figure("average time to first byte") },
  describeFigures: ({ first_byte = null }) => ({ firstByteMs: roundFigure(first_byte) }),
  hints: {
    run: "with the status code and times of a request and, if it failed, what the server sent",
    figures: "time to first byte",
    samples: "response times of requests",
    creation: "",
  },
};
