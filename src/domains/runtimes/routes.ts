import { answers } from "../../platform/http/schema.ts";
import { sendJson } from "../../platform/http/send.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { getRuntime, listRuntimes } from "./actions.ts";
import { RuntimeList, RuntimeParams, RuntimeSchema, writeRuntime } from "./schema.ts";

const tags = ["Runtimes"];

export function addRuntimeRoutes(server: HttpServer): void {
  server.get(
    "/v1/runtimes",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listRuntimes",
        summary: "List the runtimes, newest first",
        description: "Each entry contains its stage and packages.",
        response: answers({ 200: RuntimeList }),
      },
    },
    async () => [...listRuntimes()],
  );
  server.get(
    "/v1/runtimes/:id",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getRuntime",
        summary: "Get one runtime",
        description: "The id is the name, such as `2025.04`.",
        params: RuntimeParams,
        response: answers({ 200: RuntimeSchema }, "notFound"),
      },
    },
    ({ params }, reply) => {
      sendJson(reply, writeRuntime(getRuntime(params.id)));
    },
  );
}
