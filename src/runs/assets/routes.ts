import { Type } from "typebox";
import { getCheck } from "../../checks/checks/index.ts";
import { answers, Described, Guid, publicAnswers } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { answerFile } from "./file-answer.ts";
import { AssetManifest, type AssetsContext, AssetsQuery, loadManifest } from "./manifest.ts";

const tags = ["Results"];

const Content = Type.Unsafe<unknown>({
  type: "string",
  format: "binary",
  description: "The file.",
});

export function addAssetRoutes(server: HttpServer, context: AssetsContext): void {
  server.get(
    "/v1/check-results/:checkId/:resultId/assets",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listResultAssets",
        summary: "List the files of a result",
        description:
          "Screenshots, traces, videos and other files that the script of a run made, and the " +
          "packets of a failed run that was repeated, with links to download them. Files may be " +
          "deleted before their result: see `lost`.",
        params: Type.Object({
          checkId: Described(Guid, "The check's id."),
          resultId: Described(Guid, "The result's id."),
        }),
        querystring: AssetsQuery,
        response: answers({ 200: AssetManifest }, "notFound"),
      },
    },
    async ({ caller, params, query }) => {
      const { id: checkId, settings, kind } = await getCheck(context, caller, params.checkId);
      const { resultId } = params;
      const check = { checkId, checkName: settings.name, checkType: kind };
      const source = { type: "check-result" as const, ...check, resultId };
      return loadManifest(context, caller, { runId: resultId, checkId, query, source });
    },
  );
  server.get(
    "/v1/assets/:assetId/:name",
    {
      config: { access: "public" },
      schema: {
        tags,
        operationId: "downloadAsset",
        summary: "Download a file of a result",
        description:
          "Needs a link from the list of files, which is valid for about an hour, and no key. " +
          "With the header `Range`, the response is 206 with a part of the file.",
        produces: ["application/octet-stream"],
        params: Type.Object({
          assetId: Described(Guid, "Id of the file."),
          name: Type.String({ description: "Its name; not checked.", maxLength: 100 }),
        }),
        querystring: Type.Object({
          expires: Type.Integer({
            description: "When the link expires, in Unix seconds.",
            minimum: 0,
            maximum: 32_503_680_000,
          }),
          signature: Type.String({ description: "Signature of the link.", maxLength: 100 }),
        }),
        response: publicAnswers({ 200: Content }, "invalidRequest", "forbidden", "notFound"),
      },
    },
    async ({ params, query, headers }, reply) => {
      const link = { id: params.assetId, ...query, range: headers.range };
      const { status, headers: shown, body } = await answerFile(context, link);
      return reply
        .code(status as 200)
        .headers(shown)
        .send(body);
    },
  );
}
