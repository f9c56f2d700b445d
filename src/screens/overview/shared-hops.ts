import { Type } from "typebox";
import type { Caller } from "../../access/accounts/index.ts";
import {
  type ComparedPaths,
  countEnded,
  describeSharedHop,
  findSharedHops,
  listSuspects,
  type SharedHop,
} from "../../kinds/kit/paths/shared-hops.ts";
import { answers, Described, Guid, OrNull } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { findUsedHops } from "../../runs/failure-paths/index.ts";
import { listNewestPaths } from "../../runs/results/index.ts";
import { listFailingCauses } from "../../runs/states/index.ts";
import { maxGrouped, type OverviewContext } from "./actions.ts";

/**
 * Maximum number of paths of failing checks, and of passing checks, to compare. The newest paths
 * are used.
 */
const maxFailingPaths = 300;
const maxPassingPaths = 2_000;
/**
 * Maximum time from the trace of a path until the problem starts. The path is traced after the
 * first failed attempt, but the check becomes failing only after the last retry.
 */
const retriesMs = 3_600_000;

interface SharedHops extends ComparedPaths {
  readonly hops: readonly SharedHop[];
  readonly names: ReadonlyMap<string, string>;
}

/** Finds hops that failing checks share and passing checks do not use. */
async function listSharedHops(context: OverviewContext, caller: Caller): Promise<SharedHops> {
  const { db } = context;
  const { accountId } = caller;
  const checks = (await listFailingCauses(context, accountId, maxGrouped)).filter(
    ({ status }) => status === "failing",
  );
  const since = checks.map(({ id: checkId, since: at }) => ({
    checkId,
    since: new Date(at.getTime() - retriesMs),
  }));
  const failing = await listNewestPaths(db, since, maxFailingPaths);
  const addresses = listSuspects(failing);
  const used =
    addresses.length === 0
      ? { checkCount: 0, addresses }
      : await findUsedHops(db, accountId, { addresses, limit: maxPassingPaths });
  return {
    failing: countEnded(failing),
    passing: used.checkCount,
    hops: findSharedHops(failing, new Set(used.addresses)),
    names: new Map(checks.map(({ id, name }) => [id, name])),
  };
}

/** Describes each shared hop in one sentence. */
export async function describeSharedHops(
  context: OverviewContext,
  caller: Caller,
): Promise<string[]> {
  const { hops, ...compared } = await listSharedHops(context, caller);
  return hops.map((hop) => describeSharedHop(hop, compared));
}

const SharedHopsSchema = Type.Object(
  {
    failing: Type.Integer({
      description: "Number of failing checks whose path ends before the target.",
      examples: [7],
    }),
    passing: Type.Integer({
      description: "Number of passing checks whose path was compared.",
      examples: [120],
    }),
    hops: Type.Array(
      Type.Object(
        {
          address: Type.String({
            description: "Address of the hop.",
            examples: ["203.0.113.9"],
          }),
          name: Described(
            OrNull(Type.String()),
            "Its reverse name; `null` if it has none.",
            "edge.example.net",
          ),
          summary: Type.String({
            description: "The hop and its checks in one sentence.",
            examples: [
              "7 of 7 failing checks whose path ends early share the hop 203.0.113.9; no path of " +
                "120 passing checks uses it.",
            ],
          }),
          checks: Type.Array(
            Type.Object({
              checkId: Described(Guid, "The check's id."),
              name: Type.String({ description: "The check's name.", examples: ["db-1.fra"] }),
            }),
            { description: "The failing checks that share it." },
          ),
        },
        { title: "SharedHop" },
      ),
      { description: "The hops that explain most failing checks, at most three." },
    ),
  },
  { title: "SharedHops" },
);

function toWireSharedHops({ hops, names, ...compared }: SharedHops) {
  return {
    ...compared,
    hops: hops.map(({ checkIds, ...hop }) => ({
      ...hop,
      summary: describeSharedHop({ ...hop, checkIds }, compared),
      checks: checkIds.map((checkId) => ({ checkId, name: names.get(checkId) ?? "" })),
    })),
  };
}

export function addSharedHopsRoute(server: HttpServer, context: OverviewContext): void {
  server.get(
    "/v1/overview/shared-hops",
    {
      config: { access: "read" },
      schema: {
        tags: ["Overview"],
        operationId: "listSharedHops",
        summary: "Get network hops that failing checks share and passing checks do not use",
        description:
          `Compares the paths of at most ${maxFailingPaths} failing checks, traced when their problem ` +
          `began, with those of at most ${maxPassingPaths} passing checks.`,
        response: answers({ 200: SharedHopsSchema }),
      },
    },
    async ({ caller }) => toWireSharedHops(await listSharedHops(context, caller)),
  );
}
