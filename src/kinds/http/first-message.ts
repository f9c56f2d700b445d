import type { HeaderField, HttpRequest } from "./http-request.ts";
import type { Message } from "./http-wire.ts";

/** Header fields that the client controls; user-supplied values are ignored. */
const ownHeaders = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "proxy-connection",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const defaults: readonly HeaderField[] = [
  ["accept", "*/*"],
  ["accept-encoding", "gzip, deflate, br, zstd"],
  ["user-agent", "vedette"],
];

/** Returns `null` if the URL cannot be requested over HTTP. */
export function buildFirstMessage(request: HttpRequest): Message | null {
  const url = URL.parse(request.url);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return null;
  const given = request.headers
    .map(([name, value]): HeaderField => [name.toLowerCase(), value])
    .filter(([name]) => !ownHeaders.has(name));
  const has = (wanted: string) => given.some(([name]) => name === wanted);
  const headers: HeaderField[] = has("host") ? [] : [["host", url.host]];
  headers.push(...defaults.filter(([name]) => !has(name)));
  const credentials = readCredentials(url);
  if (credentials !== null && !has("authorization")) headers.push(["authorization", credentials]);
  headers.push(...given);
  const { method, body } = request;
  const hasLength = body !== null || method === "POST" || method === "PUT" || method === "PATCH";
  if (hasLength) headers.push(["content-length", String(Buffer.byteLength(body ?? ""))]);
  url.username = "";
  url.password = "";
  url.hash = "";
  return { url, method, headers, body };
}

function readCredentials({ username, password }: URL): string | null {
  if (username === "" && password === "") return null;
  const text = `${decode(username)}:${decode(password)}`;
  return `Basic ${Buffer.from(text).toString("base64")}`;
}

/** An invalid percent escape is kept literally. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
