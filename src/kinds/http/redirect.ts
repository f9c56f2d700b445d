import { isRedirect, keepPublicHeaders, mayKeepSecrets } from "../../platform/outbound-guard.ts";
import type { HeaderField } from "./http-request.ts";
import type { AnswerHead, Message } from "./http-wire.ts";

/** Same limit as for the URL of a check. */
export const maxUrlLength = 2_048;

export type Redirect =
  | { readonly kind: "follow"; readonly message: Message }
  | { readonly kind: "refused"; readonly message: string };

/** Returns where a response redirects to, or null. */
export function decideRedirect(message: Message, head: AnswerHead): Redirect | null {
  const location = head.headers.find(([name]) => name === "location")?.[1];
  if (!isRedirect(head.status, location)) return null;
  const url = location.length > maxUrlLength ? null : URL.parse(location, message.url);
  if (url === null || url.href.length > maxUrlLength) {
    return reject(`The redirect target is not a URL of at most ${maxUrlLength} characters.`);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return reject(`The server redirects to ${url.protocol}; only http and https are followed.`);
  }
  // Credentials in a Location header come from the server, not from the user, so they are dropped.
  url.username = "";
  url.password = "";
  url.hash = "";
  return followTo(url, message, head.status);
}

function followTo(url: URL, message: Message, status: number): Redirect {
  const isSafe = message.method === "GET" || message.method === "HEAD";
  const dropsBody = status === 303 || ((status === 301 || status === 302) && !isSafe);
  const isOtherOrigin = !mayKeepSecrets(message.url, url);
  if (!dropsBody && message.body !== null && isOtherOrigin) {
    return reject("The server redirects a request with a body to another origin.");
  }
  const method = dropsBody && message.method !== "HEAD" ? "GET" : message.method;
  const body = dropsBody ? null : message.body;
  return { kind: "follow", message: { url, method, body, headers: nextHeaders() } };

  function nextHeaders(): HeaderField[] {
    const kept = message.headers.filter(([name]) => {
      if (name === "host") return false;
      return !(dropsBody && name.startsWith("content-"));
    });
    const known = isOtherOrigin ? keepForOtherOrigin(kept) : kept;
    return [["host", url.host], ...known];
  }
}

const harmless = new Set(["accept", "accept-encoding", "accept-language"]);

/** Any user-supplied header may be a secret. */
function keepForOtherOrigin(headers: readonly HeaderField[]): HeaderField[] {
  const open = keepPublicHeaders(Object.fromEntries(headers));
  return headers.filter(([name]) => harmless.has(name) || Object.hasOwn(open, name));
}

function reject(message: string): Redirect {
  return { kind: "refused", message };
}
