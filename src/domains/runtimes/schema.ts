import { Type } from "typebox";
import { Described, OneOf } from "../../platform/http/schema.ts";
import { type Runtime, runtimeStages, runtimes } from "./runtime.ts";

export const RuntimeParams = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64, description: "The name, such as 2025.04." }),
});

export const RuntimeSchema = Type.Object(
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
export const RuntimeList = Type.Array(RuntimeSchema);

/** Runtimes never change while the server runs, so each is serialized once. */
const written = new Map(runtimes.map((runtime) => [runtime, JSON.stringify(runtime)]));

export function writeRuntime(runtime: Runtime): string {
  return written.get(runtime) ?? JSON.stringify(runtime);
}
