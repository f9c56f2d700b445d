import { createHash } from "node:crypto";
import { Type } from "typebox";
import { KnownError } from "../errors.ts";

/** Tells one state of a thing from every other, by what the API shows of it. */
export function tagEntity(body: unknown): string {
  const digest = createHash("sha256").update(JSON.stringify(body)).digest("base64url");
  return `"${digest.slice(0, 22)}"`;
}

/** Sends a thing with the tag that a later change can name. */
export function sendTagged<Body>(
  reply: { header: (name: string, value: string) => unknown },
  body: Body,
): Body {
  reply.header("etag", tagEntity(body));
  return body;
}

export const IfMatchHeaders = Type.Object({
  "if-match": Type.Optional(
    Type.String({
      maxLength: 1_000,
      description: "Change only what still has one of these ETags.",
    }),
  ),
});

/** Refuses a change that was made against a state which is no longer there. */
export function assertMatch(ifMatch: string | undefined, current: unknown): void {
  if (ifMatch === undefined || ifMatch.trim() === "*") return;
  // A weak tag never matches: it does not promise that nothing has changed.
  const wanted = ifMatch.split(",").map((tag) => tag.trim());
  if (!wanted.includes(tagEntity(current))) throw new KnownError("preconditionFailed");
}
