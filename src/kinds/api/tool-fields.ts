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
/** What a server sent is for people to recognise, not for a model to read at length. */
const maxShownLength = 500;

export const tools: KindTools<ApiSettings, ApiRequest, ApiMeasurement> = {
  checkFields: {
    method: Type.String({ description: "the method of the request" }),
    assertionCount: Type.Integer({ description: "how many assertions it has" }),
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
    status: OrNull(Type.Integer({ description: "the status of the answer" })),
    firstByteMs: figure("time from the request to the answer"),
  },
  describeResult: (measurement) => ({
    status: measurement?.status ?? null,
    firstByteMs: roundFigure(measurement?.phases.firstByteMs ?? null),
  }),
  runFields: {
    method: Type.String(),
    url: Type.String({ description: "the address that was asked" }),
    resolvedIp: OrNull(Type.String({ description: "the address that the name stood for" })),
    status: OrNull(Type.Integer({ description: "the status of the answer" })),
    redirects: Type.Integer({ description: "how many redirects were followed" }),
    bytesReceived: Type.Integer(),
    received: Type.String({ description: "the beginning of the body, if it was kept" }),
    failedAssertions: Type.Array(Type.String({ description: "what was found and wanted" })),
    dnsMs: figure("time to resolve the name"),
    connectMs: figure("time to connect"),
    tlsMs: figure("time of the TLS handshake"),
    firstByteMs: figure("time from the request to the answer"),
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
  figureFields: { firstByteMs: figure("average time from the request to the answer") },
  describeFigures: ({ first_byte = null }) => ({ firstByteMs: roundFigure(first_byte) }),
  hints: {
    run: "of a request its status, times, assertions and the beginning of the body",
    figures: "time to the first byte",
    samples: "response times of requests",
    creation: "",
  },
};
