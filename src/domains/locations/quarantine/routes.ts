import { Type } from "typebox";
import { answers, Described, Filled } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { LocationsContext } from "../actions.ts";
import { ProbeSchema, toWireProbe } from "../schema.ts";
import { quarantineProbe, releaseProbe } from "./actions.ts";

const tags = ["Locations"];
const ProbeParams = Type.Object({
  id: Type.String({
    description: "Identifies the probe.",
    examples: ["rack-7"],
    minLength: 1,
    maxLength: 255,
  }),
});
const Reason = Filled({ maxLength: 500 });
const QuarantineBody = Type.Object(
  {
    reason: Described(
      Reason,
      "The reason, which is shown with the probe.",
      "Its uplink is faulty.",
    ),
    leavesNone: Type.Boolean({
      description: "Whether to proceed even if no other probe is left at its private location.",
      default: false,
    }),
  },
  { title: "QuarantineInput" },
);
const ReleaseBody = Type.Object(
  { reason: Described(Reason, "Why it is released.", "The uplink was replaced.") },
  { title: "ReleaseInput" },
);

export function addQuarantineRoutes(server: HttpServer, context: LocationsContext): void {
  server.post(
    "/v1/probes/:id/quarantine",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "quarantineProbe",
        summary: "Put a probe in quarantine",
        description:
          "Its results are ignored from now on, and the other probes of its location take " +
          "over. For the only probe of a private location, `leavesNone` is required. A probe of a public " +
          "region requires an administrator and a server with a single account.",
        params: ProbeParams,
        body: QuarantineBody,
        response: answers({ 200: ProbeSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params, body }) =>
      toWireProbe(
        await quarantineProbe(context, caller, { ...body, id: params.id }),
        context.clock.now(),
      ),
  );
  server.post(
    "/v1/probes/:id/release",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "releaseProbe",
        summary: "Release a probe from quarantine",
        description: "Its results count again from its next run.",
        params: ProbeParams,
        body: ReleaseBody,
        response: answers({ 200: ProbeSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params, body }) =>
      toWireProbe(
        await releaseProbe(context, caller, { id: params.id, reason: body.reason }),
        context.clock.now(),
      ),
  );
}
