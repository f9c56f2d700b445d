import { Type } from "typebox";
import { KnownError } from "../platform/errors.ts";
import { publicAnswers } from "../platform/http/schema.ts";
import type { HttpServer } from "../platform/http/server.ts";
import type { Metrics } from "../platform/metrics.ts";

export interface ServiceState {
  readonly metrics: Metrics;
  /** Rejects while the server should get no traffic. */
  readonly checkReady: () => Promise<void>;
}

const tags = ["Service"];
const config = { access: "public", isUnlimited: true } as const;
const Status = Type.Object({ status: Type.String() });

/** For load balancers, supervisors and Prometheus. They hold nothing of any account. */
export function addServiceRoutes(server: HttpServer, state: ServiceState): void {
  server.get(
    "/healthz",
    {
      config,
      schema: { tags, summary: "Whether the process is alive", response: { 200: Status } },
    },
    async () => ({ status: "alive" }),
  );
  server.get(
    "/readyz",
    {
      config,
      schema: {
        tags,
        summary: "Whether the server can answer: the database is there and nothing is stopping",
        response: publicAnswers({ 200: Status }, "unavailable"),
      },
    },
    async () => {
      try {
        await state.checkReady();
      } catch {
        throw new KnownError("unavailable", { retryAfterSeconds: 2 });
      }
      return { status: "ready" };
    },
  );
  server.get(
    "/metrics",
    {
      config,
      schema: {
        tags,
        summary: "Figures for Prometheus",
        produces: ["text/plain"],
        response: { 200: Type.String() },
      },
    },
    async (_request, reply) =>
      reply.type(state.metrics.registry.contentType).send(await state.metrics.write()),
  );
}
