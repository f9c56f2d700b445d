import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { KnownError, notFound } from "../../../platform/errors.ts";
import { Described, publicAnswers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { addressKey } from "../../../platform/ip-address.ts";
import { clipText } from "../../../platform/text/clip.ts";
import type { HeartbeatsContext } from "../context.ts";
import type { Ping } from "../heartbeat.ts";
import { toHeaderText, tooMany } from "../ping-intake.ts";
import { type AddressSecret, findCheckByToken, hashAddress } from "./push-address-store.ts";

interface Report {
  readonly hasFailed: boolean;
  readonly message: string;
  readonly durationMs: number | null;
}

const maxMessageLength = 2_000;
export const maxDurationMs = 365 * 86_400_000;

async function findToken(context: HeartbeatsContext, secret: AddressSecret) {
  const { db, clock, watchList } = context;
  const address = { form: secret.form, digest: hashAddress(secret), at: clock.now() };
  const checkId = await findCheckByToken(db, address);
  if (checkId === null) return null;
  const watched = (await watchList.find([checkId])).get(checkId);
  return watched?.kind.pings?.token(watched.settings) ?? null;
}

/** Stores the ping like one of the check's own address. */
export async function takePush(
  context: HeartbeatsContext,
  request: Pick<FastifyRequest, "ip" | "method" | "headers">,
  secret: AddressSecret,
  report: Report,
): Promise<void> {
  const { byToken, guesses } = context.pingLimits;
  const client = addressKey(request.ip);
  const guess = guesses.peek(client);
  if (!guess.allowed) throw tooMany(guess.resetSeconds);
  const token = await findToken(context, secret);
  if (token === null) {
    guesses.take(client);
    throw notFound();
  }
  const allowance = byToken.take(token);
  if (!allowance.allowed) throw tooMany(allowance.resetSeconds);
  const body = clipText(report.message, maxMessageLength);
  const ping: Ping = {
    signal: report.hasFailed ? "failure" : "success",
    exitCode: null,
    runId: "",
    durationMs: report.durationMs,
    sender: {
      method: request.method,
      address: toHeaderText(request.ip),
      userAgent: toHeaderText(request.headers["user-agent"]),
      body,
      bodyBytes: Buffer.byteLength(body),
    },
  };
  const taken = await context.intake.take(token, ping);
  if (taken === "full") throw new KnownError("unavailable", { retryAfterSeconds: 1 });
  if (taken === "unknown") throw notFound();
}

/** Routes of other monitors, for jobs that still ping their old address. */

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

/** Parses a duration of Go, such as `1m30s`. */
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
  response: publicAnswers({ 200: KumaAnswer }, "invalidRequest", "notFound"),
};

export function addPushRoutes(scope: HttpServer, context: HeartbeatsContext): void {
  const takeKuma = async (
    request: Pick<FastifyRequest, "ip" | "method" | "headers"> & {
      readonly params: { readonly token: string };
      readonly query: { readonly status?: string; readonly msg?: string; readonly ping?: string };
    },
  ) => {
    const { params, query } = request;
    const secret = { form: "uptime-kuma", key: params.token, token: null } as const;
    const hasFailed = query.status === "down";
    const report = { hasFailed, message: query.msg ?? "", durationMs: parseMs(query.ping) };
    await takePush(context, request, secret, report);
    return { ok: true };
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
        response: publicAnswers({ 200: KumaAnswer }, "invalidRequest", "notFound"),
      },
    },
    async (request) => {
      const { params, query, headers } = request;
      const token = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? "";
      const secret = { form: "gatus", key: params.key.toLowerCase(), token } as const;
      const durationMs = parseGoDuration(query.duration);
      const report = { hasFailed: !query.success, message: query.error ?? "", durationMs };
      await takePush(context, request, secret, report);
      return { ok: true };
    },
  );
}
