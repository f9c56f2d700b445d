import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { findBundleContent } from "../../checks/code-bundles/index.ts";
import { mapProbeKeys } from "../../checks/locations/index.ts";
import { type AssetSink, maxRunAssetBytes, unpackAssets } from "../../contract/run-asset.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import { badToken, forbidden, invalid, KnownError, notFound } from "../../platform/errors.ts";
import { addScope, type HttpServer } from "../../platform/http/server.ts";
import type { AssetGrant, OrderTags } from "../scheduling/index.ts";

/** Dependencies of the routes that remote probes use for files. */
interface UploadsContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly tags: OrderTags;
  readonly assets: AssetSink;
}

/** Maximum size of an upload: the files and a list of their names. */
const maxUploadBytes = maxRunAssetBytes + 64 * 1024;
/**
 * Maximum number of concurrent uploads, and of concurrent downloads, which limits the memory use.
 */
const maxUploads = 4;

/**
 * Decrypts the upload grant of an order. Returns `null` if the grant is invalid, has expired, or is
 * for another route.
 */
function findGrant(
  { tags, clock }: Pick<UploadsContext, "tags" | "clock">,
  text: unknown,
  route: string | undefined,
): AssetGrant | null {
  const grant = typeof text === "string" ? tags.readGrant(text) : null;
  if (grant === null || grant.route !== route || grant.untilMs < clock.nowMs()) return null;
  return grant;
}

async function admit(context: UploadsContext, request: FastifyRequest): Promise<AssetGrant> {
  const { authorization = "", "x-asset-grant": text } = request.headers;
  const [, token = ""] = /^Bearer (\S+)$/i.exec(authorization) ?? [];
  const key = (await mapProbeKeys(context.db, [token])).get(token);
  if (key === undefined) throw badToken();
  const grant = findGrant(context, text, key.route);
  if (grant === null) throw forbidden();
  return grant;
}

/** Registers the route that sends the code of a run to the probe that executes the run. */
function addCodeRoute(server: HttpServer, context: UploadsContext): void {
  let open = 0;
  server.get(
    "/v1/probe/code/:digest",
    {
      config: { access: "public" },
      schema: { hide: true, params: Type.Object({ digest: Type.String({ maxLength: 100 }) }) },
    },
    async (request, reply) => {
      const { accountId } = await admit(context, request);
      if (open >= maxUploads) throw new KnownError("unavailable", { retryAfterSeconds: 5 });
      open += 1;
      try {
        const key = `bundle/${request.params.digest}`;
        const content = await findBundleContent(context.db, accountId, key);
        if (content === null) throw notFound();
        return reply.type("application/octet-stream").send(content);
      } finally {
        open -= 1;
      }
    },
  );
}

/** Registers the routes through which probes upload the files of runs and download code. */
export function addProbeRoutes(server: HttpServer, context: UploadsContext): void {
  addCodeRoute(server, context);
  const admitted = new WeakMap<FastifyRequest, AssetGrant>();
  let open = 0;
  addScope(server, (scope) => {
    scope.addContentTypeParser(
      "application/octet-stream",
      { parseAs: "buffer", bodyLimit: maxUploadBytes },
      (_request, body, done) => done(null, body),
    );
    scope.post(
      "/v1/probe/assets",
      {
        bodyLimit: maxUploadBytes,
        config: { access: "public" },
        schema: { hide: true },
        // Authorises the request before its body is read.
        preParsing: async (request, reply) => {
          const grant = await admit(context, request);
          if (open >= maxUploads) throw new KnownError("unavailable", { retryAfterSeconds: 5 });
          // The probe may have disconnected during the authorisation.
          if (reply.raw.closed) return;
          open += 1;
          reply.raw.once("close", () => {
            open -= 1;
          });
          admitted.set(request, grant);
        },
      },
      async (request, reply) => {
        const grant = admitted.get(request);
        const files = Buffer.isBuffer(request.body) ? unpackAssets(request.body) : null;
        if (grant === undefined || files === null) throw invalid("body", "must be packed files");
        await context.assets.save(grant, files);
        return reply.code(204).send();
      },
    );
  });
}
