import { setTimeout } from "node:timers/promises";
import { Type } from "typebox";
import type { Caller } from "../../access/accounts/index.ts";
import { getCheck } from "../../checks/checks/index.ts";
import {
  addRound,
  type HopStatistics,
  LiveHop,
  toWireHop,
} from "../../kinds/kit/paths/hop-statistics.ts";
import type { PathTarget } from "../../kinds/kit/paths/path.ts";
import { conflict, invalid, notFound } from "../../platform/errors.ts";
import { answers, Described, Guid, OneOf } from "../../platform/http/schema.ts";
import { sendEvents } from "../../platform/http/send.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { StreamSlots } from "../../platform/http/stream-slots.ts";
import {
  findPathTarget,
  type SampledPath,
  traceSamples,
  type Watched,
} from "../scheduling/index.ts";
import type { PathsContext } from "./context.ts";

type LiveEvent = readonly [string, object];

interface LivePath {
  readonly watched: Watched;
  readonly location: string;
  readonly target: PathTarget;
  readonly signal: AbortSignal;
  /** Pause after each trace, in milliseconds. */
  readonly pauseMs: number;
}

const maxRounds = 300;
const waitingMs = 5_000;

/** Yields `waiting` events until the trace ends, so that proxies keep the connection open. */
async function* waitForTrace(
  trace: ReturnType<typeof traceSamples>,
): AsyncGenerator<LiveEvent, Awaited<ReturnType<typeof traceSamples>>> {
  for (;;) {
    const timer = new AbortController();
    const waiting = setTimeout(waitingMs, "waiting" as const, { signal: timer.signal });
    const first = await Promise.race([trace, waiting.catch(() => "waiting" as const)]);
    timer.abort();
    if (first !== "waiting") return first;
    yield ["waiting", {}];
  }
}

/** Traces the path repeatedly and yields the statistics after each trace. */
async function* followPath(
  context: PathsContext,
  { watched, location, target, signal, pauseMs }: LivePath,
): AsyncGenerator<LiveEvent> {
  yield ["started", { location, target: target.hostname, protocol: target.protocol }];
  let hops: HopStatistics[] = [];
  for (let count = 1; count <= maxRounds; count += 1) {
    if (signal.aborted) return;
    const trace = traceSamples(context, watched, { location, target, signal });
    const traced: SampledPath | { readonly trouble: string } | null = yield* waitForTrace(trace);
    if (signal.aborted) return;
    if (traced === null || "trouble" in traced) {
      const trouble = traced?.trouble ?? "The probe could not trace the path to the target.";
      yield ["trouble", { message: trouble }];
      return yield ["end", { reason: "trouble" }];
    }
    hops = addRound(hops, traced.samples);
    const { address, end } = traced.path;
    yield ["round", { round: count, address, end, hops: hops.map(toWireHop) }];
    if (count < maxRounds) await setTimeout(pauseMs, null, { signal });
  }
  yield ["end", { reason: "complete" }];
}

async function findLiveTarget(
  context: PathsContext,
  caller: Caller,
  request: { readonly checkId: string; readonly location: string | undefined },
) {
  const { id } = await getCheck(context, caller, request.checkId);
  const watched = (await context.watchList.find([id])).get(id);
  if (watched === undefined) throw notFound();
  const { places } = watched;
  const { location = places[0] ?? "" } = request;
  if (!places.includes(location)) {
    throw invalid(
      "location",
      `must be a location of the check: ${places.join(", ")}`,
      "querystring",
    );
  }
  const target = await findPathTarget(context, watched, { location, outcome: null });
  if (target === null) throw conflict("the check has no network target that can be traced");
  return { watched, location, target };
}

const LiveRound = Type.Object(
  {
    event: Described(OneOf(["round"]), "Name of the event."),
    round: Type.Integer({ description: "Number of traces so far.", examples: [10] }),
    address: Type.String({ description: "The traced address.", examples: ["203.0.113.9"] }),
    end: Type.String({ description: "Why the newest path ends.", examples: ["reached"] }),
    hops: Type.Array(LiveHop, { description: "Statistics of each hop since the start." }),
  },
  { title: "LiveRound", description: "The hops after a trace." },
);

/** Schema of the response, only for OpenAPI. The stream has two formats and is not validated. */
const LiveAnswer = Type.Unsafe<string>({
  description:
    "Events: `started`, `round` after each trace with the statistics of all hops, `waiting` every " +
    "five seconds without a round, `trouble` if the probe cannot trace, `end`.",
  content: {
    "text/event-stream": {
      schema: Type.String({ description: "Server-sent events; the data of each is JSON." }),
    },
    "application/x-ndjson": { schema: LiveRound },
  },
});

const perAccount = 3;
const total = 20;
const usualPauseMs = 1_000;

export function addPathRoutes(server: HttpServer, context: PathsContext): void {
  const slots = new StreamSlots({ perAccount, total, servers: context.servers });
  server.addHook("preClose", (done) => {
    slots.close();
    done();
  });
  server.post(
    "/v1/checks/:id/live-path",
    {
      config: { access: "run" },
      schema: {
        tags: ["Checks"],
        operationId: "followPath",
        summary: "Trace the path to the target of a check continuously, with a stream of events",
        description:
          `One trace per second, at most ${maxRounds}, until the client disconnects. Nothing is ` +
          `stored. An account may have ${perAccount} of these streams. Server-sent events by ` +
          "default; NDJSON with `Accept: application/x-ndjson`.",
        params: Type.Object({ id: Described(Guid, "The check's id.") }),
        querystring: Type.Object({
          location: Type.Optional(
            Type.String({
              description: "Where the path starts; defaults to the first location of the check.",
              examples: ["eu-central-1"],
              maxLength: 64,
            }),
          ),
        }),
        response: answers({ 200: LiveAnswer }, "notFound", "conflict", "unavailable"),
      },
    },
    async ({ caller, params, query, headers }, reply) => {
      const request = { checkId: params.id, location: query.location };
      const found = await findLiveTarget(context, caller, request);
      const controller = slots.take(caller.accountId);
      const live = { ...found, signal: controller.signal, pauseMs: usualPauseMs };
      reply.raw.once("close", () => {
        controller.abort("closed");
        slots.release(controller);
      });
      return sendEvents(reply, followPath(context, live), headers.accept);
    },
  );
}
