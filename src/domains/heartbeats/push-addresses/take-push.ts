import type { FastifyRequest } from "fastify";
import { KnownError, notFound } from "../../../platform/errors.ts";
import { addressKey } from "../../../platform/ip-address.ts";
import { clipText } from "../../../platform/text/clip.ts";
import type { HeartbeatsContext } from "../context.ts";
import type { Ping } from "../heartbeat.ts";
import { toHeaderText, tooMany } from "../ping-request.ts";
import { type AddressSecret, hashAddress } from "./push-address.ts";
import { findCheckByToken } from "./store.ts";

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
