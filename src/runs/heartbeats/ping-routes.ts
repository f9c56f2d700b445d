import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { invalid, KnownError, notFound } from "../../platform/errors.ts";
import { Described, publicAnswers } from "../../platform/http/schema.ts";
import { addScope, type HttpServer } from "../../platform/http/server.ts";
import { addressKey } from "../../platform/ip-address.ts";
import { isUuid } from "../../platform/text/patterns.ts";
import type { HeartbeatsContext } from "./context.ts";
import {
  type KeptBody,
  noBody,
  parseSignal,
  toBodyText,
  toHeaderText,
  tooMany,
} from "./ping-intake.ts";
import { addPushRoutes } from "./push-addresses/push-intake.ts";

/** Number of bytes of a request body that are stored. Further bytes are discarded. */
const maxKeptBytes = 10_000;
/** Maximum length of a body; longer bodies are rejected. */
const maxReadBytes = 1_048_576;

const kept = "The first 10,000 bytes of the body are stored.";

const Token = Described(
  Type.String({ maxLength: 64 }),
  "The secret token of the ping URL, as shown by the check.",
  "7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10",
);
const PingParams = Type.Object({ token: Token });
const SignalParams = Type.Object({
  token: Token,
  signal: Type.String({
    description: "`start`, `fail`, or the exit code of the job: 0 is success.",
    examples: ["start"],
    maxLength: 16,
  }),
});
const PingQuery = Type.Object({
  rid: Type.Optional(
    Type.String({
      description: "Any id of this run, to match an end to its start if jobs overlap.",
      examples: ["nightly-42"],
      maxLength: 64,
    }),
  ),
});

/**
 * Reads the whole body and returns its beginning. The rest is read too, because clients read the
 * response only after they have sent the whole body.
 */
async function readBody(payload: AsyncIterable<Buffer>): Promise<KeptBody> {
  const kept: Buffer[] = [];
  let length = 0;
  for await (const chunk of payload) {
    if (length < maxKeptBytes) kept.push(chunk.subarray(0, maxKeptBytes - length));
    length += chunk.length;
    if (length > maxReadBytes) throw new KnownError("bodyTooLarge");
  }
  return { bytes: Buffer.concat(kept), length };
}

type PingRequest = FastifyRequest<{
  Params: { token: string; signal?: string };
  Querystring: { rid?: string };
}>;

/** Applies rate limits: per token for known tokens, and per client network for unknown tokens. */
function rejectExcess({ intake, pingLimits }: HeartbeatsContext, token: string, ip: string): void {
  const { byToken, guesses } = pingLimits;
  const allowance = intake.knows(token) ? byToken.take(token) : guesses.peek(addressKey(ip));
  if (!allowance.allowed) throw tooMany(allowance.resetSeconds);
}

async function takePing(
  context: HeartbeatsContext,
  request: PingRequest,
  reply: FastifyReply,
): Promise<string> {
  const { params, query, ip, method, headers } = request;
  const token = params.token.toLowerCase();
  const signal = parseSignal(params.signal);
  if (signal === null) {
    throw invalid("signal", "must be start, fail or an exit code from 0 to 255", "params");
  }
  rejectExcess(context, token, ip);
  const body = (request.body as KeptBody | null | undefined) ?? noBody;
  const sender = {
    method,
    address: toHeaderText(ip),
    userAgent: toHeaderText(headers["user-agent"]),
    body: toBodyText(body),
    bodyBytes: body.length,
  };
  const ping = { ...signal, runId: query.rid ?? "", sender };
  const taken = isUuid(token) ? await context.intake.take(token, ping) : "unknown";
  if (taken === "full") throw new KnownError("unavailable", { retryAfterSeconds: 1 });
  if (taken === "unknown") {
    context.pingLimits.guesses.take(addressKey(ip));
    throw notFound();
  }
  // Pings from any website are allowed, because the response reveals only that the token exists.
  reply.header("access-control-allow-origin", "*").type("text/plain; charset=utf-8");
  return "OK";
}

const shared = {
  tags: ["Heartbeats"],
  produces: ["text/plain"],
  querystring: PingQuery,
  response: publicAnswers(
    { 200: Type.String({ description: "The ping is stored.", examples: ["OK"] }) },
    "invalidRequest",
    "notFound",
  ),
};

const config = { access: "public", isUnlimited: true } as const;

/** Accepts bodies of any content type, and stores only the beginning of a body. */
function acceptAnyBody(scope: HttpServer): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", ({ headers }, payload, done) => {
    // Check `Content-Length` before reading. With `Expect: 100-continue`, the client has not sent
    // the body yet, and does not have to send it.
    const isTooLong = Number(headers["content-length"]) > maxReadBytes;
    if (isTooLong) done(new KnownError("bodyTooLarge"));
    else readBody(payload).then((body) => done(null, body), done);
  });
}

export function addPingRoutes(server: HttpServer, context: HeartbeatsContext): void {
  addScope(server, (scope) => {
    acceptAnyBody(scope);
    addPushRoutes(scope, context);
    const handle = (request: PingRequest, reply: FastifyReply) => takePing(context, request, reply);
    const tells = { ...shared, params: PingParams };
    const signals = { ...shared, params: SignalParams };
    scope.get(
      "/ping/:token",
      {
        config,
        schema: {
          ...tells,
          operationId: "pingHeartbeat",
          summary: "Report that a job has run",
          description:
            "Responds when the ping is stored. HEAD does the same. No API key is required.",
        },
      },
      handle,
    );
    scope.post(
      "/ping/:token",
      {
        config,
        schema: {
          ...tells,
          operationId: "postHeartbeat",
          summary: "Report that a job has run, with its output",
          description: `Responds when the ping is stored. ${kept} No API key is required.`,
        },
      },
      handle,
    );
    scope.get(
      "/ping/:token/:signal",
      {
        config,
        schema: {
          ...signals,
          operationId: "signalHeartbeat",
          summary: "Report the start, failure or exit code of a job",
          description:
            "An end is matched to its start. HEAD does the same. No API key is required.",
        },
      },
      handle,
    );
    scope.post(
      "/ping/:token/:signal",
      {
        config,
        schema: {
          ...signals,
          operationId: "postHeartbeatSignal",
          summary: "Report the start, failure or exit code of a job, with its output",
          description: `An end is matched to its start. ${kept} No API key is required.`,
        },
      },
      handle,
    );
  });
}
