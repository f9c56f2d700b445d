import { Type } from "typebox";
import type { HttpServer } from "../../platform/http/server.ts";
import { getPreviewFile, type PreviewsContext } from "./actions.ts";

const Params = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 100, description: "Token of the preview's URL." }),
  "*": Type.String({
    maxLength: 100,
    description: "A file of the preview; empty for the document itself.",
  }),
});

export function addPreviewRoutes(server: HttpServer, context: PreviewsContext): void {
  const options = {
    config: { access: "public", isForReaders: true },
    schema: { hide: true, params: Params },
  } as const;
  server.get("/previews/:token/*", options, async ({ params }, reply) => {
    const { token, "*": path } = params;
    const file = await getPreviewFile(context, { token, path });
    return reply
      .header("content-security-policy", file.policy)
      .header("cache-control", "private, no-store")
      .header("x-robots-tag", "noindex")
      .header("referrer-policy", "no-referrer")
      .type(file.contentType)
      .send(file.bytes);
  });
}
