import type { FastifyReply } from "fastify";
import { answers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { readVisitor } from "../../sites/index.ts";
import type { StatusPagesContext } from "../context.ts";
import { getStatusPageImage, listStatusPageImages } from "./actions.ts";
import {
  ImageParams,
  ImageQuery,
  ImageStateList,
  ImagesParams,
  toWireImageState,
} from "./schema.ts";
import { sendImage } from "./send-image.ts";

export function addImageRoutes(server: HttpServer, context: StatusPagesContext): void {
  server.get(
    "/v1/status-pages/:statusPageId/images",
    {
      config: { access: "read" },
      schema: {
        tags: ["Status pages"],
        operationId: "listStatusPageImages",
        summary: "List the images of a status page",
        description:
          "Images are fetched once and stored on this server. Shows when each was fetched, or " +
          "why it failed.",
        params: ImagesParams,
        response: answers({ 200: ImageStateList }, "notFound"),
      },
    },
    async ({ caller, params }) =>
      (await listStatusPageImages(context, caller, params.statusPageId)).map(toWireImageState),
  );
  server.get(
    "/status/:url/images/:role",
    {
      config: { access: "public" },
      schema: { hide: true, params: ImageParams, querystring: ImageQuery },
    },
    async (request, reply): Promise<FastifyReply> => {
      const { headers, params, query } = request;
      const image = await getStatusPageImage(context, params, readVisitor(request));
      const cacheQuery = { version: query.v, ifNoneMatch: headers["if-none-match"] };
      return sendImage(reply, image, cacheQuery);
    },
  );
}
