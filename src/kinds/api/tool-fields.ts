import { Type } from "typebox";
import { OrNull } from "../../platform/http/schema.ts";
import { clipText } from "../../platform/text/clip.ts";
import type { KindTools } from "../kind.ts";
import { roundFigure } from "../round-figure.ts";
import { hideCredentials } from "./codec.ts";
import { findTrouble } from "./document.ts";
import type { ApiMeasurement } from "./measurement.ts";
import type { ApiRequest, ApiSettings } from "./request.ts";

const figure = (description: string) => OrNull(Type.Number({ description }));
/** Enough for a person to recognise a response without filling a model's context. */
const maxShownLength = 500;

export const tools: KindTools<ApiSettings, ApiRequest, ApiMeasurement> = {
  checkFields: {
    method: Type.String({ description: "the HTTP method" }),
    assertionCount: Type.Integer({ description: "number of assertions" }),
    degradedResponseTime: figure("milliseconds above which a run is degraded"),
    maxResponseTime: figure("milliseconds above which a run is failing"),
  },
  describeCheck: ({ request, degradedResponseTime, maxResponseTime }) => ({
    method: request.method,
    assertionCount: request.assertions.length,
    degradedResponseTime,
    maxResponseTime,
  }),
  resultFields: {
    status: OrNull(Type.Integer({ description: "the status code of the response" })),
    firstByteMs: figure("time to first byte"),
  },
  describeResult: (measurement) => ({
    status: measurement?.status ?? null,
    firstByteMs: roundFigure(measurement?.phases.firstByteMs ?? null),
  }),
  runFields: {
    method: Type.String(),
    url: Type.String({ description: "the requested URL" }),
    resolvedIp: OrNull(Type.String({ description: "the IP address that the name resolved to" })),
    status: OrNull(Type.Integer({ description: "the status code of the response" })),
    redirects: Type.Integer({ description: "number of followed redirects" }),
    bytesReceived: Type.Integer(),
    received: Type.String({ description: "the beginning of the body, if it was stored" }),
    failedAssertions: Type.Array(Type.String({ description: "the actual and the expected value" })),
    dnsMs: figure("name resolution time"),
    connectMs: figure("time to connect"),
    tlsMs: figure("TLS handshake time"),
    firstByteMs: figure("time to first byte"),
    bodyMs: figure("time from the first byte to the last"),
  },
  describeRun: (run) => {
    const { request, outcome } = run;
    const measured = outcome.kind === "measured" ? outcome.measurement : null;
    const trouble = findTrouble(run);
    const phases = measured?.phases ?? trouble?.phases;
    const failed = (measured?.results ?? []).filter(({ passed }) => !passed);
    return {
      method: request.method,
      url: hideCredentials(request.url),
      resolvedIp: measured?.resolvedIp ?? trouble?.resolvedIp ?? null,
      status: measured?.status ?? null,
      redirects: measured?.hops.length ?? trouble?.hops?.length ?? 0,
      bytesReceived: measured?.receivedBytes ?? 0,
      received: clipText(measured?.body.text ?? "", maxShownLength),
      failedAssertions: failed.slice(0, 5).map(({ message }) => clipText(message, maxShownLength)),
      dnsMs: roundFigure(phases?.dnsMs ?? null),
      connectMs: roundFigure(phases?.connectMs ?? null),
      tlsMs: roundFigure(phases?.tlsMs ?? null),
      firstByteMs: roundFigure(phases?.firstByteMs ?? null),
      bodyMs: roundFigure(phases?.bodyMs ?? null),
    };
  },
  reasonFields: {
    status: Type.Optional(Type.Integer()),
    statusText: Type.Optional(Type.String()),
    bodyEnd: Type.Optional(Type.String()),
    receivedBytes: Type.Optional(Type.Integer()),
  },
  figureFields: { firstByteMs: figure("average time to first byte") },
  describeFigures: ({ first_byte = null }) => ({ firstByteMs: roundFigure(first_byte) }),
  hints: {
    run: "with the status code, times, assertions and beginning of the body of a request",
    figures: "time to first byte",
    samples: "response times of requests",
    creation: "",
  },
};
