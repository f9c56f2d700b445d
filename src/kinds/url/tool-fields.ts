import { Type } from "typebox";
import { OrNull } from "../../platform/http/schema.ts";
import { clipText } from "../../platform/text/clip.ts";
import type { KindTools } from "../kind.ts";
import { roundFigure } from "../round-figure.ts";
import { buildResponse } from "./document.ts";
import type { UrlMeasurement } from "./measurement.ts";
import type { UrlRequest, UrlSettings } from "./request.ts";

const figure = (description: string) => OrNull(Type.Number({ description }));
/** What a server sent is for people to recognise, not for a model to read at length. */
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
    statusCode: OrNull(Type.Integer({ description: "the status of the answer" })),
    dnsMs: figure("time to resolve the name"),
    connectMs: figure("time to connect"),
    tlsMs: figure("time of the TLS handshake"),
    firstByteMs: figure("time from the request to the answer"),
  },
  describeResult: (measurement) => ({
    statusCode: measurement?.status ?? null,
    dnsMs: roundFigure(measurement?.phases.dnsMs ?? null),
    connectMs: roundFigure(measurement?.phases.connectMs ?? null),
    tlsMs: roundFigure(measurement?.phases.tlsMs ?? null),
    firstByteMs: roundFigure(measurement?.phases.firstByteMs ?? null),
  }),
  runFields: {
    url: Type.String({ description: "what was asked for at last" }),
    resolvedIp: OrNull(Type.String({ description: "the address that the name stood for" })),
    ipFamily: Type.String(),
    statusText: Type.String({ description: "the text after the status" }),
    httpVersion: OrNull(Type.String()),
    redirectCount: Type.Integer({ description: "how many redirects were followed" }),
    certificateValidTo: OrNull(Type.String({ description: "until when the certificate is valid" })),
    body: OrNull(Type.String({ description: "the beginning of the body, of a run that failed" })),
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
  figureFields: { firstByteMs: figure("average time from the request to the answer") },
  describeFigures: ({ first_byte = null }) => ({ firstByteMs: roundFigure(first_byte) }),
  hints: {
    run: "of a request its status, its times and, where it failed, what the server sent",
    figures: "time from the request to the answer",
    samples: "response times of requests",
    creation: "",
  },
};
