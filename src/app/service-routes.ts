import { Type } from "typebox";
import { KnownError } from "../platform/errors.ts";
import { publicAnswers } from "../platform/http/schema.ts";
import type { HttpServer } from "../platform/http/server.ts";
import type { ReadinessWatch } from "./readiness.ts";

export interface ServiceState {
  readonly readiness: Pick<ReadinessWatch, "check">;
}

const tags = ["Service"];
const config = { access: "public", isUnlimited: true } as const;
const Status = Type.Object({
  status: Type.String({ description: "`alive`.", examples: ["alive"] }),
});
const Ready = Type.Object({
  status: Type.String({ description: "`ready`.", examples: ["ready"] }),
  problems: Type.Optional(
    Type.Array(Type.String(), { description: "Problems that leave the server ready" }),
  ),
});

/** For load balancers, supervisors and Prometheus; they expose no data of accounts. */
export function addServiceRoutes(server: HttpServer, state: ServiceState): void {
  server.get(
    "/healthz",
    {
      config,
      schema: {
        tags,
        operationId: "getHealth",
        summary: "Check whether the process is alive",
        description: "For supervisors. It does not query the database.",
        response: { 200: Status },
      },
    },
    async () => ({ status: "alive" }),
  );
  server.get(
    "/readyz",
    {
      config,
      schema: {
        tags,
        operationId: "getReadiness",
        summary: "Check whether the server is ready",
        description:
          "For load balancers: checks the database, its disk and the background loops. 503 means that traffic should go to another server.",
        response: publicAnswers({ 200: Ready }, "unavailable"),
      },
    },
    async () => {
      const { isReady, problems } = await state.readiness.check();
      if (!isReady) {
        const message = `Not ready: ${problems.join("; ")}`;
        throw new KnownError("unavailable", { message, retryAfterSeconds: 2 });
      }
      return problems.length === 0
        ? { status: "ready" }
        : { status: "ready", problems: [...problems] };
    },
  );
}
