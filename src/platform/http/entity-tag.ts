import { Type } from "typebox";
import { KnownError } from "../errors.ts";

/**
 * Tells one state of a thing from every other. Its own version is raised by each change of it, also
 * of which other things it shows. Those have versions of their own, and may be deleted without its
 * knowledge. So while its own version stays, the number of them only falls, and while that stays
 * too, the sum of their versions only rises.
 */
export function tagVersion(version: number, shownVersions: readonly number[] = []): string {
  if (shownVersions.length === 0) return `"${version}"`;
  const sum = shownVersions.reduce((total, one) => total + one, 0);
  return `"${version}-${shownVersions.length}-${sum}"`;
}

export interface TaggedReply {
  readonly header: (name: string, value: string) => unknown;
}

/** Sends a thing with the tag that a later change can name. */
export function sendTagged<Body>(reply: TaggedReply, tag: string, body: Body): Body {
  reply.header("etag", tag);
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
export function assertMatch(ifMatch: string | undefined, currentTag: string): void {
  if (ifMatch === undefined || ifMatch.trim() === "*") return;
  // A weak tag never matches: it does not promise that nothing has changed.
  const wanted = ifMatch.split(",").map((tag) => tag.trim());
  if (!wanted.includes(currentTag)) throw new KnownError("preconditionFailed");
}
