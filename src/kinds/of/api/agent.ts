import { Type } from "typebox";
import { OrNull } from "../../../platform/http/schema.ts";
import { clipText, quote } from "../../../platform/text/clip.ts";
import type { OwnAgent, OwnSpeech } from "../../kit/agent.ts";
import type { Run } from "../../kit/definition.ts";
import {
  beginning,
  type DataOf,
  field,
  figure,
  maxShownLength,
  type ResultDataOf,
  type ToolFields,
  textOrNull,
} from "../../kit/tool-fields.ts";
import { createHttpSpeech } from "../../wire/http/create-http-kind.ts";
import { findTrouble } from "./document.ts";
import type { ApiMeasurement } from "./measurement.ts";
import type { ApiRequest, ApiSettings } from "./request.ts";
import { hideCredentials } from "./script-runs.ts";

type ApiRun = Run<ApiRequest, ApiMeasurement>;

const findMeasurement = ({ outcome }: ApiRun) =>
  outcome.kind === "measured" ? outcome.measurement : null;
const findPhases = (run: ApiRun) => findMeasurement(run)?.phases ?? findTrouble(run)?.phases;

const checkFields = {
  method: field(Type.String({ description: "the HTTP method" }), ({ request }) => request.method),
  assertionCount: field(
    Type.Integer({ description: "number of assertions" }),
    ({ request }) => request.assertions.length,
  ),
} satisfies ToolFields<ApiSettings>;

const Status = OrNull(Type.Integer({ description: "the status code of the response" }));

const resultFields = {
  status: field(Status, ({ status }) => status),
  firstByteMs: figure("time to first byte", ({ phases }) => phases.firstByteMs),
} satisfies ToolFields<ApiMeasurement>;

const maxShownAssertions = 5;

const runFields = {
  method: field(Type.String(), ({ request }) => request.method),
  url: field(Type.String({ description: "the requested URL" }), ({ request }) =>
    hideCredentials(request.url),
  ),
  resolvedIp: textOrNull(
    "the IP address that the name resolved to",
    (run) => findMeasurement(run)?.resolvedIp ?? findTrouble(run)?.resolvedIp,
  ),
  status: field(Status, (run) => findMeasurement(run)?.status ?? null),
  redirects: field(
    Type.Integer({ description: "number of followed redirects" }),
    (run) => findMeasurement(run)?.hops.length ?? findTrouble(run)?.hops?.length ?? 0,
  ),
  bytesReceived: field(Type.Integer(), (run) => findMeasurement(run)?.receivedBytes ?? 0),
  received: beginning(
    "the beginning of the body, if it was stored",
    (run) => findMeasurement(run)?.body.text,
  ),
  failedAssertions: field(
    Type.Array(Type.String({ description: "the actual and the expected value" })),
    (run) =>
      (findMeasurement(run)?.results ?? [])
        .filter(({ passed }) => !passed)
        .slice(0, maxShownAssertions)
        .map(({ message }) => clipText(message, maxShownLength)),
  ),
  dnsMs: figure("name resolution time", (run) => findPhases(run)?.dnsMs),
  connectMs: figure("time to connect", (run) => findPhases(run)?.connectMs),
  tlsMs: figure("TLS handshake time", (run) => findPhases(run)?.tlsMs),
  firstByteMs: figure("time to first byte", (run) => findPhases(run)?.firstByteMs),
  bodyMs: figure("time from the first byte to the last", (run) => findPhases(run)?.bodyMs),
} satisfies ToolFields<ApiRun>;

/** The agent shows the URL of a check as `hostname`, the common field for the target. */
type CheckData = DataOf<typeof checkFields> & { readonly hostname: string };
type ResultData = ResultDataOf<typeof resultFields>;

const speech: OwnSpeech<CheckData, ResultData, DataOf<typeof runFields>> = {
  ...createHttpSpeech(),
  describeTarget: ({ method, hostname }) => `sends ${method} to ${quote(hostname)}`,
  describeSize: ({ assertionCount }) =>
    assertionCount === 1 ? "one assertion a run" : `${assertionCount} assertions a run`,
  unmeasured: "there was no response",
  listFindings: ({ failedAssertions, received, redirects }) => [
    ...failedAssertions.map((message) => `an assertion failed: ${quote(message, 200)}`),
    ...(redirects === 0 ? [] : [`it followed ${redirects} redirect${redirects === 1 ? "" : "s"}`]),
    ...(received === "" ? [] : [`the body starts with ${quote(received, 100)}`]),
  ],
  culprits: {
    "certificate-rejected":
      "The server's certificate is the cause: clients that verify it abort the connection.",
    "error-status": "The server responds and reports the error itself.",
  },
  figures: [{ name: "firstByteMs", noun: "first byte", before: "first byte after", unit: "ms" }],
};

/** Defines what the agent shows of API checks and which words refer to them. */
export const agent: OwnAgent<ApiSettings, ApiRequest, ApiMeasurement> = {
  names: ["api", "endpoint"],
  fieldHints: {
    request: "The request to send.",
    "request.method": "GET, POST, PUT, HEAD, DELETE or PATCH.",
    "request.url": "The URL, with http:// or https://.",
    "request.followRedirects": "Whether redirects are followed; default true.",
    "request.skipSSL": "Whether to accept a certificate that is not trusted.",
    "request.ipFamily": "IPv4, IPv6, or BOTH to measure both in each run; default IPv4.",
    "request.body": "The request body.",
    "request.bodyType": "JSON, FORM, RAW, GRAPHQL or NONE.",
    "request.headers": "Request headers.",
    "request.queryParameters": "Query parameters that are added to the URL.",
    "request.assertions":
      "Assertions on the response, such as a status code or a value in the JSON body.",
    "request.basicAuth": "User name and password for basic authentication.",
  },
  hints: {
    run: "with the status code, times, assertions and beginning of the body of a request",
    figures: "time to first byte",
    samples: "response times of requests",
    creation: "",
  },
  checkFields,
  resultFields,
  runFields,
  reasonFields: {
    status: Type.Optional(Type.Integer()),
    statusText: Type.Optional(Type.String()),
    bodyEnd: Type.Optional(Type.String()),
    receivedBytes: Type.Optional(Type.Integer()),
  },
  speech,
};
