import { Type } from "typebox";
import { OneOf } from "../../platform/http/schema.ts";
import { type Runtime, runtimeStages, runtimes } from "./runtime.ts";

export const RuntimeParams = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64, description: "the name, such as 2025.04" }),
});

export const RuntimeSchema = Type.Object({
  name: Type.String(),
  multiStepSupport: Type.Boolean(),
  nodeJsVersion: Type.String(),
  dependencies: Type.Object({}, { additionalProperties: Type.String() }),
  stage: OneOf(runtimeStages),
  runtimeEndOfLife: Type.Optional(Type.String({ description: "month/day/year" })),
  description: Type.String(),
});
export const RuntimeList = Type.Array(RuntimeSchema);

/** They never change while we run, so each is written once. */
const written = new Map(runtimes.map((runtime) => [runtime, JSON.stringify(runtime)]));

export function writeRuntime(runtime: Runtime): string {
  return written.get(runtime) ?? JSON.stringify(runtime);
}
