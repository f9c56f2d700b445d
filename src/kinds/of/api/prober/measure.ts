import type { ClientCertificate } from "../../../../contract/order.ts";
import type { NoData, Outcome } from "../../../../contract/result.ts";
import { clipText } from "../../../../platform/text/clip.ts";
import {
  type Assertion,
  type AssertionResult,
  evaluateAssertions,
} from "../../../kit/assertions/assertion.ts";
import { EvaluationThread } from "../../../kit/assertions/evaluation-thread.ts";
import { requestHttp } from "../../../wire/http/http-client.ts";
import { isWhole } from "../../../wire/http/http-figures.ts";
import { findErrorStatus } from "../../../wire/http/http-judge.ts";
import type { HttpMeasurement } from "../../../wire/http/http-measurement.ts";
import { maxBodyBytes } from "../../../wire/http/http-measurement.ts";
import { buildHttpDocument, type HttpDocument, isCheap } from "../../../wire/http/http-sources.ts";
import { unpackBody } from "../../../wire/http/unpack-body.ts";
import type { Serve, SocketTools } from "../../../wire/network/socket-work.ts";
import { summariseTls } from "../../../wire/tls/tls-facts.ts";
import { composeRequest } from "../compose.ts";
import { type ApiMeasurement, maxKeptBodyLength } from "../measurement.ts";
import { type ApiRequest, assertionSources } from "../request.ts";
import type { WholeAnswer } from "../script-runs.ts";

export interface ApiCall {
  readonly request: ApiRequest;
  readonly clientCertificate: ClientCertificate | null;
  /** Whether to keep headers and body even if the run has no faults. */
  readonly keepsAnswer: boolean;
  /** Owner of the run. Expensive assertions are evaluated round-robin across owners. */
  readonly account: string;
  /**
   * Stage of a run with scripts. `send` returns the response without evaluating assertions.
   * `assess` evaluates the assertions after the teardown scripts. If absent, one call does both.
   */
  readonly stage?: "send" | "assess";
  /** Response that the stage `assess` evaluates. */
  readonly answer?: WholeAnswer;
}

export type ApiReply =
  | Outcome<ApiMeasurement>
  | { readonly kind: "answered"; readonly answer: WholeAnswer };

const evaluation = new EvaluationThread();
const { href: evaluateModule } = new URL("../../../wire/http/evaluate-http.ts", import.meta.url);

/**
 * Sends the request and evaluates the assertions, or executes only one of these stages. The probe
 * evaluates the assertions, because only the probe has the whole body.
 */
export async function probeApi(call: ApiCall, tools: SocketTools): Promise<ApiReply> {
  const { request, clientCertificate, stage, answer } = call;
  if (stage === "assess" && answer !== undefined) return assess(call, answer);
  const { followRedirects, skipSSL, ipFamily, timeoutMs } = request;
  const outcome = await requestHttp(
    {
      ...composeRequest(request),
      followRedirects,
      skipSSL,
      ipFamily,
      timeoutMs,
      clientCertificate,
      keptBytes: maxBodyBytes,
    },
    tools,
  );
  if (outcome.kind !== "answered") return outcome;
  const { measurement, body: packed } = outcome.answer;
  const body = await unpackBody(packed, measurement, maxBodyBytes);
  const whole = { measurement, body };
  return stage === "send" ? { kind: "answered", answer: whole } : assess(call, whole);
}

const overloaded: NoData = {
  kind: "overloaded",
  message: "This probe is still evaluating the assertions of other runs of this account.",
};

async function evaluate(
  assertions: readonly Assertion[],
  document: HttpDocument,
  account: string,
): Promise<readonly AssertionResult[] | null> {
  if (isCheap(assertions, document)) {
    return evaluateAssertions(assertionSources, assertions, document);
  }
  return evaluation.evaluate(account, { module: evaluateModule, assertions, document });
}

async function assess(
  { request: { assertions }, account, keepsAnswer }: ApiCall,
  { measurement, body }: WholeAnswer,
): Promise<Outcome<ApiMeasurement>> {
  const document = buildHttpDocument(measurement, body);
  const results = await evaluate(assertions, document, account);
  if (results === null) return overloaded;
  const isFlawless =
    isWhole(measurement.bodyEnd) &&
    results.every(({ passed }) => passed) &&
    findErrorStatus(assertions, measurement).length === 0;
  const isKept = keepsAnswer || !isFlawless;
  const kept = isKept ? clipText(body.text, maxKeptBodyLength) : "";
  const assessed = {
    ...(isKept ? measurement : summarise(measurement)),
    body: {
      text: kept,
      bytes: body.bytes,
      isCut: body.isCut || (isKept && kept.length < body.text.length),
      fault: body.fault,
    },
    isKept,
    results: results.map(shorten),
  };
  return { kind: "measured", measurement: assessed };
}

function summarise(measurement: HttpMeasurement): HttpMeasurement {
  const { tls } = measurement;
  return { ...measurement, headers: [], tls: tls && summariseTls(tls) };
}

const maxPassedLength = 60;

/** Shortens the value of a passed assertion. A long value that is not a string becomes `null`. */
function shorten(result: AssertionResult): AssertionResult {
  if (!result.passed) return result;
  const { actual } = result;
  const isShort = (JSON.stringify(actual) ?? "").length <= maxPassedLength;
  const text = typeof actual === "string" ? clipText(actual, maxPassedLength) : null;
  return { passed: true, actual: isShort ? actual : text, message: "" };
}

export const serve: Serve<ApiCall, ApiReply> = probeApi;
