import { Type } from "typebox";
import { KnownError } from "../errors.ts";

/**
 * Returns the ETag of a resource. Its own version increases with each change, including changes of
 * the list of resources that it includes. Included resources have their own versions and may be
 * deleted without a change of that list. So while the own version is the same their number only
 * decreases, and while that is the same too, the sum of their versions only increases.
 */
export function tagVersion(version: number, shownVersions: readonly number[] = []): string {
  if (shownVersions.length === 0) return `"${version}"`;
  const sum = shownVersions.reduce((total, one) => total + one, 0);
  return `"${version}-${shownVersions.length}-${sum}"`;
}

export interface TaggedReply {
  readonly header: (name: string, value: string) => unknown;
}

/** Sends a resource with its ETag, for a later If-Match. */
export function sendTagged<Body>(reply: TaggedReply, tag: string, body: Body): Body {
  reply.header("etag", tag);
  return body;
}

export const IfMatchHeaders = Type.Object({
  "if-match": Type.Optional(
    Type.String({
      maxLength: 1_000,
      description: "Apply the change only if the current ETag is one of these.",
    }),
  ),
});

/** Rejects a change that was based on an older version. */
export function assertMatch(ifMatch: string | undefined, currentTag: string): void {
  if (ifMatch === undefined || ifMatch.trim() === "*") return;
  // A weak tag never matches: it does not guarantee that nothing has changed.
  const wanted = ifMatch.split(",").map((tag) => tag.trim());
  if (!wanted.includes(currentTag)) throw new KnownError("preconditionFailed");
}
