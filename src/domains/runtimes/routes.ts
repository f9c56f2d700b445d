import { Type } from "typebox";
import { notFound } from "../../platform/errors.ts";
import { answers, Described, OneOf } from "../../platform/http/schema.ts";
import { sendJson } from "../../platform/http/send.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { type Runtime, runtimeStages, runtimes } from "./runtime.ts";

const tags = ["Runtimes"];

const RuntimeParams = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64, description: "The name, such as 2025.04." }),
});

const RuntimeSchema = Type.Object(
  {
    name: Type.String({
      description: "Name of the runtime, used by checks.",
      examples: ["2025.04"],
    }),
    multiStepSupport: Type.Boolean({
      description: "Whether multi-step checks are supported.",
    }),
    nodeJsVersion: Type.String({ description: "The Node.js version.", examples: ["22"] }),
    dependencies: Type.Object(
      {},
      {
        description: "Packages and their versions.",
        examples: [{ axios: "1.7.7" }],
        additionalProperties: Type.String(),
      },
    ),
    stage: Described(OneOf(runtimeStages), "Stage of the life cycle."),
    runtimeEndOfLife: Type.Optional(Type.String({ description: "month/day/year" })),
    description: Type.String({
      description: "Changes since the previous runtime.",
      examples: ["Node.js 22."],
    }),
  },
  { title: "Runtime" },
);
const RuntimeList = Type.Array(RuntimeSchema);

/** Runtimes never change while the server runs, so each is serialized once. */
const written = new Map(runtimes.map((runtime) => [runtime, JSON.stringify(runtime)]));

function writeRuntime(runtime: Runtime): string {
  return written.get(runtime) ?? JSON.stringify(runtime);
}

function listRuntimes(): readonly Runtime[] {
  return runtimes;
}

function getRuntime(name: string): Runtime {
  const runtime = runtimes.find((one) => one.name === name);
  if (runtime === undefined) throw notFound();
  return runtime;
}

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
