import { Type } from "typebox";
import { Described, OneOf } from "../../platform/http/schema.ts";
import { type Runtime, runtimeStages, runtimes } from "./runtime.ts";

export const RuntimeParams = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64, description: "the name, such as 2025.04" }),
});

export const RuntimeSchema = Type.Object(
  {
    name: Type.String({ description: "Its name, which checks refer to.", examples: ["2025.04"] }),
    multiStepSupport: Type.Boolean({
      description: "Whether checks of several steps can run in it.",
    }),
    nodeJsVersion: Type.String({ description: "The version of Node.js in it.", examples: ["22"] }),
    dependencies: Type.Object(
      {},
      {
        description: "The packages in it, with their versions.",
        examples: [{ axios: "1.7.7" }],
        additionalProperties: Type.String(),
      },
    ),
    stage: Described(OneOf(runtimeStages), "How far along its life it is."),
    runtimeEndOfLife: Type.Optional(Type.String({ description: "month/day/year" })),
    description: Type.String({ description: "What is new in it.", examples: ["Node.js 22."] }),
  },
  { title: "Runtime" },
);
export const RuntimeList = Type.Array(RuntimeSchema);

/** They never change while we run, so each is written once. */
const written = new Map(runtimes.map((runtime) => [runtime, JSON.stringify(runtime)]));

export function writeRuntime(runtime: Runtime): string {
  return written.get(runtime) ?? JSON.stringify(runtime);
}
