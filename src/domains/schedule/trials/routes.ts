import { KnownError } from "../../../platform/errors.ts";
import { answers } from "../../../platform/http/schema.ts";
import { sendEvents } from "../../../platform/http/send.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { StreamSlots } from "../../../platform/http/stream-slots.ts";
import { RateLimit } from "../../../platform/rate-limit.ts";
import { AnyCheckBody, readUnsaved } from "../../checks/index.ts";
import type { ScheduleContext } from "../context.ts";
import { openTrial, type TrialEvent } from "./actions.ts";
import { TrialAnswer, TrialQuery, toWireEvent } from "./schema.ts";

/** Concurrent trials per account, trials per minute and account, and concurrent trials in total. */
const perAccount = 5;
const perMinute = 30;
const total = 100;

async function* toWire(events: AsyncIterable<TrialEvent>) {
  for await (const event of events) yield toWireEvent(event);
}

export function addTrialRoutes(server: HttpServer, context: ScheduleContext): void {
  const { clock, servers } = context;
  const slots = new StreamSlots({ perAccount, total, servers });
  const rate = new RateLimit({ limit: perMinute, windowMs: 60_000, clock, servers });
  server.addHook("preClose", (done) => {
    slots.close();
    done();
  });
  server.post(
    "/v1/checks/try",
    {
      config: { access: "write" },
      schema: {
        tags: ["Checks"],
        operationId: "tryCheck",
        summary: "Run a check once without saving it, with a stream of events",
        description:
          "The body is that of `POST /v1/checks`, or with `checkId` that of `PUT /v1/checks/{id}`. " +
          "Nothing is stored and nobody is alerted. " +
          `An account may have ${perAccount} concurrent trials and ${perMinute} per minute. ` +
          "Server-sent events by default; NDJSON with `Accept: application/x-ndjson`.",
        querystring: TrialQuery,
        body: AnyCheckBody,
        response: answers({ 200: TrialAnswer }, "notFound", "unavailable"),
      },
    },
    async ({ caller, body, query, headers }, reply) => {
      const { location = null, checkId = null } = query;
      const tried = await readUnsaved(context, caller, { body, checkId });
      const { allowed, resetSeconds } = rate.take(caller.accountId);
      if (!allowed) throw new KnownError("tooManyRequests", { retryAfterSeconds: resetSeconds });
      const controller = slots.take(caller.accountId);
      const request = { ...tried, location };
      const opened = await openTrial(context, caller, request, controller.signal).catch((error) => {
        slots.release(controller);
        throw error;
      });
      // A run continues after its client has disconnected, and counts until it ends.
      opened.trial.once("over", () => slots.release(controller));
      reply.raw.once("close", () => controller.abort("closed"));
      return sendEvents(reply, toWire(opened.events), headers.accept);
    },
  );
}
