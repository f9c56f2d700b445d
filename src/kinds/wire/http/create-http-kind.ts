import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { SeenCertificate } from "../../../contract/seen-certificate.ts";
import { hostOf } from "../../../platform/outbound-guard.ts";
import { writeMs } from "../../../platform/text/figures.ts";
import type { OwnSpeech } from "../../kit/agent.ts";
import type { Assertion, AssertionResult } from "../../kit/assertions/assertion.ts";
import { createKind } from "../../kit/create-kind.ts";
import type { Run } from "../../kit/definition.ts";
import type { Kind, KindParts } from "../../kit/kind.ts";
import { readUrlTarget } from "../../kit/paths/path.ts";
import { judgeOutcome, type VerdictSettings } from "../../kit/verdict.ts";
import { TlsFactsSchema, toSeenCertificate } from "../tls/tls-facts.ts";
import {
  httpFigureBytes,
  httpParts,
  httpSamples,
  listHttpFigures,
  readHttpFigures,
} from "./http-figures.ts";
import { explainHttp, type HttpReason, httpTroubles, judgeAnswer } from "./http-judge.ts";
import type { HttpMeasurement } from "./http-measurement.ts";
import { timeoutOf } from "./http-measurement.ts";

/** Data of an HTTP run for the agent's tools. API checks use `status`, URL checks `statusCode`. */
interface ResultData {
  readonly status?: number | null;
  readonly statusCode?: number | null;
  readonly firstByteMs: number | null;
}

/** Creates the phrases that all HTTP kinds share for the agent's answers. */
export function createHttpSpeech() {
  return {
    describeResult: ({ status, statusCode = status ?? null, firstByteMs }: ResultData) =>
      statusCode === null
        ? "no answer"
        : `status ${statusCode}, first byte after ${writeMs(firstByteMs)}`,
  } satisfies OwnSpeech<object, ResultData>;
}

/** Timeout of name resolution. */
const resolveMs = 4_000;
/** Time allowed for sending the run order to the probe and for sending the result back. */
const slackMs = 8_000;

interface Evaluated {
  readonly assertions: readonly Assertion[];
  /** Assertion results, in the order of `assertions`. */
  readonly results: readonly AssertionResult[];
  /** Reasons other than assertions for which the run failed. */
  readonly failures?: readonly HttpReason[];
}

type SharedMember =
  | "deadlineMs"
  | "toRequest"
  | "clientCertificateFor"
  | "pathTarget"
  | "families"
  | "findCertificate"
  | "judge"
  | "explain"
  | "parts"
  | "samples"
  | "figures"
  | "figureBytes"
  | "readFigures";

/** The parts of an HTTP kind that `createHttpKind` does not provide. */
type HttpKindParts<
  Settings extends VerdictSettings,
  Request extends { readonly url: string; readonly ipFamily: string },
  Measurement extends HttpMeasurement,
> = Omit<KindParts<Settings, Request, Measurement, HttpReason>, SharedMember> & {
  toRequest(settings: Settings, timeoutMs: number): Request;
  /** Returns the time that a run may take in addition to the request itself. By default none. */
  extraMs?(settings: Settings): number;
  /** Returns the assertions that apply to a response, with their results. */
  evaluate(settings: Settings, request: Request, measurement: Measurement): Evaluated;
};

export function createHttpKind<
  Settings extends VerdictSettings,
  Request extends { readonly url: string; readonly ipFamily: string },
  Measurement extends HttpMeasurement,
>({
  evaluate,
  toRequest,
  extraMs = () => 0,
  ...parts
}: HttpKindParts<Settings, Request, Measurement>): Kind<
  Settings,
  Request,
  Measurement,
  HttpReason
> {
  return createKind<Settings, Request, Measurement, HttpReason>({
    ...parts,
    words: { aRun: "a request", verb: "requests", ...parts.words },
    deadlineMs: (settings) =>
      Math.max(resolveMs, timeoutOf(settings)) + slackMs + extraMs(settings),
    toRequest: (settings) => toRequest(settings, timeoutOf(settings)),
    clientCertificateFor: findHttpsHost,
    families: {},
    pathTarget: ({ url, ipFamily }) => readUrlTarget(url, ipFamily),
    judge: (settings, { request, outcome }: Run<Request, Measurement>) =>
      judgeOutcome(outcome, httpTroubles, (measurement) =>
        judgeAnswer(settings, measurement, evaluate(settings, request, measurement)),
      ),
    findCertificate: findHttpCertificate,
    explain: explainHttp,
    parts: httpParts,
    samples: httpSamples,
    figures: listHttpFigures,
    figureBytes: httpFigureBytes,
    readFigures: readHttpFigures,
  });
}

const TroubleSchema = Type.Object({ url: Type.String({ maxLength: 4_096 }), tls: TlsFactsSchema });

let compiled: { Check(value: unknown): boolean } | undefined;

/** Validates the TLS facts of a failed run, because the probe that sent them is not trusted. */
function isTroubleWithTls(trouble: object): trouble is Pick<HttpMeasurement, "url" | "tls"> {
  compiled ??= Compile(TroubleSchema);
  return compiled.Check(trouble);
}

/** Returns the host that may receive a client certificate; `null` if the request uses no TLS. */
export function findHttpsHost({ url }: { readonly url: string }): { readonly host: string } | null {
  const parsed = URL.parse(url);
  return parsed?.protocol === "https:" ? { host: hostOf(parsed) } : null;
}

/**
 * Returns the certificate of the last server in a chain of redirects, even if the certificate was
 * not trusted.
 */
export function findHttpCertificate({
  outcome,
}: Pick<Run<unknown, HttpMeasurement>, "outcome">): SeenCertificate | null {
  if (outcome.kind !== "measured" && outcome.kind !== "unreachable") return null;
  const found = outcome.kind === "measured" ? outcome.measurement : outcome.trouble;
  if (outcome.kind === "unreachable" && !isTroubleWithTls(found)) return null;
  const { url, tls } = found as Pick<HttpMeasurement, "url" | "tls">;
  const host = URL.canParse(url) ? hostOf(new URL(url)) : "";
  return tls === null || host === "" ? null : toSeenCertificate(host, tls);
}
