import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { KnownError } from "../../../platform/errors.ts";
import { Described, publicAnswers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { addressKey } from "../../../platform/ip-address.ts";
import { clipText } from "../../../platform/text/clip.ts";
import { isUuid } from "../../../platform/text/patterns.ts";
import type { HeartbeatsContext } from "../context.ts";
import type { Ping } from "../heartbeat.ts";
import {
  type KeptBody,
  noBody,
  parseSignal,
  toBodyText,
  toHeaderText,
  tooMany,
} from "../ping-intake.ts";
import { type AddressSecret, findCheckByToken, hashAddress } from "./push-address-store.ts";

/** Data that a job reported. `signal` is `null` if nothing is to be recorded. */
interface PushReport {
  readonly signal: Ping["signal"] | null;
  readonly message: string;
  /** Length of the whole message in bytes; only the beginning of the message may be stored. */
  readonly messageBytes?: number;
  readonly durationMs?: number | null;
  readonly exitCode?: number | null;
  readonly runId?: string;
}

const maxMessageLength = 10_000;
const maxDurationMs = 365 * 86_400_000;

async function findToken(context: HeartbeatsContext, secret: AddressSecret) {
  const { db, clock, watchList } = context;
  const address = { form: secret.form, digest: hashAddress(secret), at: clock.now() };
  const checkId = await findCheckByToken(db, address);
  if (checkId === null) return null;
  const watched = (await watchList.find([checkId])).get(checkId);
  return watched?.kind.pings?.token(watched.settings) ?? null;
}

/**
 * Stores a ping to a push address like a ping to the check's own URL. Returns false if no check has
 * the address. The route then sends the same response as the other monitor.
 */
async function takePush(
  context: HeartbeatsContext,
  request: Pick<FastifyRequest, "ip" | "method" | "headers">,
  secret: AddressSecret,
  report: PushReport,
): Promise<boolean> {
  const { byToken, guesses } = context.pingLimits;
  const client = addressKey(request.ip);
  const guess = guesses.peek(client);
  if (!guess.allowed) throw tooMany(guess.resetSeconds);
  const token = await findToken(context, secret);
  if (token === null) {
    guesses.take(client);
    return false;
  }
  const allowance = byToken.take(token);
  if (!allowance.allowed) throw tooMany(allowance.resetSeconds);
  const { signal, exitCode = null, runId = "", durationMs = null } = report;
  if (signal === null) return true;
  const body = clipText(report.message, maxMessageLength);
  const bodyBytes = report.messageBytes ?? Buffer.byteLength(body);
  const sender = {
    method: request.method,
    address: toHeaderText(request.ip),
    userAgent: toHeaderText(request.headers["user-agent"]),
    body,
    bodyBytes,
  };
  const taken = await context.intake.take(token, { signal, exitCode, runId, durationMs, sender });
  if (taken === "full") throw new KnownError("unavailable", { retryAfterSeconds: 1 });
  return taken === "taken";
}

const Text = (description: string, example: string) =>
  Type.Optional(Type.String({ description, examples: [example], maxLength: 10_000 }));

const KumaParams = Type.Object({
  token: Type.String({ description: "The token of the old address.", maxLength: 200 }),
});
const KumaQuery = Type.Object({
  status: Text("`up` or `down`; `up` if omitted.", "up"),
  msg: Text("A message, shown with the ping.", "OK"),
  ping: Text("Duration in milliseconds.", "12.5"),
});
const KumaAnswer = Type.Object({ ok: Type.Boolean({ description: "The ping is stored." }) });
const KumaUnknown = Type.Object({
  ok: Type.Literal(false, { description: "No check has the address." }),
  msg: Type.String({ description: "Why.", examples: ["Monitor not found or not active."] }),
});
const PlainAnswer = (description: string, example: string) =>
  Type.String({ description, examples: [example] });

const GatusParams = Type.Object({
  key: Type.String({ description: "Group and name of the endpoint.", maxLength: 200 }),
});
const GatusQuery = Type.Object({
  success: Described(Type.Boolean(), "Whether the job succeeded.", true),
  error: Text("Why it failed, shown with the ping.", "disk full"),
  duration: Text("Duration, such as `10s`.", "10s"),
});

function parseMs(text: string | undefined): number | null {
  const ms = Number(text);
  return text !== undefined && text !== "" && ms >= 0 && ms <= maxDurationMs ? ms : null;
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Parses a Go duration, such as `1m30s`; returns `null` if it is invalid or too long. */
function parseGoDuration(text: string | undefined): number | null {
  if (text === undefined || !/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(text)) return null;
  let totalMs = 0;
  for (const [, amount, unit = ""] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    totalMs += Number(amount) * (unitMs[unit] ?? 0);
  }
  return totalMs <= maxDurationMs ? totalMs : null;
}

const config = { access: "public", isUnlimited: true } as const;
const kumaSchema = {
  tags: ["Heartbeats"],
  summary: "Report that a job has run, at its address of Uptime Kuma",
  description: "For addresses that an import keeps valid. HEAD does the same.",
  params: KumaParams,
  querystring: KumaQuery,
  response: publicAnswers({ 200: KumaAnswer, 404: KumaUnknown }, "invalidRequest"),
};

function addKumaRoutes(scope: HttpServer, context: HeartbeatsContext): void {
  const takeKuma = async (
    request: Pick<FastifyRequest, "ip" | "method" | "headers"> & {
      readonly params: { readonly token: string };
      readonly query: { readonly status?: string; readonly msg?: string; readonly ping?: string };
    },
    reply: FastifyReply,
  ) => {
    const { params, query } = request;
    const secret = { form: "uptime-kuma", key: params.token, token: null } as const;
    const signal = query.status === "down" ? "failure" : "success";
    const report = { signal, message: query.msg ?? "", durationMs: parseMs(query.ping) } as const;
    if (await takePush(context, request, secret, report)) return { ok: true };
    return reply.code(404).send({ ok: false, msg: "Monitor not found or not active." });
  };
  scope.get(
    "/api/push/:token",
    { config, schema: { ...kumaSchema, operationId: "pingKumaAddress" } },
    takeKuma,
  );
  scope.post(
    "/api/push/:token",
    { config, schema: { ...kumaSchema, operationId: "postKumaAddress" } },
    takeKuma,
  );
}

function addGatusRoute(scope: HttpServer, context: HeartbeatsContext): void {
  scope.post(
    "/api/v1/endpoints/:key/external",
    {
      config,
      schema: {
        tags: ["Heartbeats"],
        operationId: "postGatusAddress",
        summary: "Report the result of a job, at its address of Gatus",
        description:
          "For addresses that an import keeps valid, with the token of the external endpoint as " +
          "bearer token.",
        params: GatusParams,
        querystring: GatusQuery,
        response: publicAnswers(
          {
            200: KumaAnswer,
            401: PlainAnswer("There is no bearer token.", "invalid Authorization header"),
            404: PlainAnswer("No check has this address and token.", "not found"),
          },
          "invalidRequest",
        ),
      },
    },
    async (request, reply) => {
      const { params, query, headers } = request;
      const token = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? null;
      reply.type("text/plain; charset=utf-8");
      if (token === null) return reply.code(401).send("invalid Authorization header");
      const secret = { form: "gatus", key: params.key.toLowerCase(), token } as const;
      const durationMs = parseGoDuration(query.duration);
      const signal = query.success ? "success" : "failure";
      const report = { signal, message: query.error ?? "", durationMs } as const;
      if (!(await takePush(context, request, secret, report))) {
        return reply.code(404).send("not found");
      }
      return reply.type("application/json; charset=utf-8").send({ ok: true });
    },
  );
}

const HealthchecksQuery = Type.Object({ rid: Text("Any id of this run.", "nightly-42") });

const healthchecksSchema = {
  tags: ["Heartbeats"],
  description:
    "For addresses that an import keeps valid. Jobs use them without the prefix: `/{uuid}` or " +
    "`/{ping key}/{slug}`, followed by `/start`, `/fail`, `/log` or an exit code. HEAD does the " +
    "same. The first 10,000 bytes of the body are stored, those of `/log` are not.",
  querystring: HealthchecksQuery,
  response: publicAnswers({
    200: PlainAnswer("The ping is stored.", "OK"),
    400: PlainAnswer("The last part is not valid.", "invalid url format"),
    404: PlainAnswer("No check has the address.", "not found"),
  }),
};

const Part = (description: string, example: string) =>
  Type.String({ description, examples: [example], maxLength: 200 });
const Key = Part("The uuid or ping key.", "7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10");
const Rest = Part("The signal after a uuid, or the slug after a ping key.", "start");
const SignalPart = Part("`start`, `fail`, `log` or an exit code.", "start");

/** Parses the last path segment; `null` if invalid. `log` is valid, but stores nothing. */
function parsePushSignal(text: string | undefined): Pick<PushReport, "signal" | "exitCode"> | null {
  return text === "log" ? { signal: null } : parseSignal(text);
}

/** Path segments of an address, in order; an absent segment is undefined. */
interface AddressParts {
  readonly key: string;
  readonly rest?: string;
  readonly signal?: string;
}

function parseHealthchecks({ key, rest, signal }: AddressParts) {
  if (isUuid(key)) {
    const secret = { form: "healthchecks", key: key.toLowerCase(), token: null } as const;
    return { secret, signal: parsePushSignal(rest) };
  }
  const secret = { form: "healthchecks-slug", key: `${key}/${rest}`, token: null } as const;
  return { secret, signal: parsePushSignal(signal) };
}

function addHealthchecksRoutes(scope: HttpServer, context: HeartbeatsContext): void {
  const take = async (
    request: Pick<FastifyRequest, "ip" | "method" | "headers" | "body"> & {
      readonly params: AddressParts;
      readonly query: { readonly rid?: string };
    },
    reply: FastifyReply,
  ) => {
    reply.header("access-control-allow-origin", "*").type("text/plain; charset=utf-8");
    const { secret, signal } = parseHealthchecks(request.params);
    if (signal === null) return reply.code(400).send("invalid url format");
    const body = (request.body as KeptBody | null | undefined) ?? noBody;
    const message = { message: toBodyText(body), messageBytes: body.length };
    const report = { ...signal, ...message, runId: (request.query.rid ?? "").slice(0, 64) };
    const isTaken = await takePush(context, request, secret, report);
    return reply.code(isTaken ? 200 : 404).send(isTaken ? "OK" : "not found");
  };
  const paths = [
    { path: "/healthchecks/:key", name: "Address", params: Type.Object({ key: Key }) },
    {
      path: "/healthchecks/:key/:rest",
      name: "Signal",
      params: Type.Object({ key: Key, rest: Rest }),
    },
    {
      path: "/healthchecks/:key/:rest/:signal",
      name: "SlugSignal",
      params: Type.Object({ key: Key, rest: Rest, signal: SignalPart }),
    },
  ];
  for (const { path, name, params } of paths) {
    const about = { ...healthchecksSchema, params };
    const summary = "Report that a job has run, at its address of Healthchecks";
    const ping = { ...about, operationId: `pingHealthchecks${name}`, summary };
    const post = { ...about, operationId: `postHealthchecks${name}` };
    scope.get(path, { config, schema: ping }, take);
    scope.post(path, { config, schema: { ...post, summary: `${summary}, with its output` } }, take);
  }
}

/** Adds the routes of other monitors, for jobs that still ping the address of their old monitor. */
export function addPushRoutes(scope: HttpServer, context: HeartbeatsContext): void {
  addKumaRoutes(scope, context);
  addGatusRoute(scope, context);
  addHealthchecksRoutes(scope, context);
}
