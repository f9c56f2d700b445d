import { expect, grpcMethodPayload, tcpPayload } from "../../../../kinds/check-payloads.ts";
import { findResourceFault, type Origin, type ReadingBuilder } from "../../reading-builder.ts";
import type { Row } from "../row.ts";
import type { Translated } from "./kuma-http.ts";
import { parseHostPort } from "./kuma-targets.ts";

/** Accepts the forms of a target that gRPC clients have, except sockets of the machine. */
function parseTarget(text: string): [string, number] | null {
  if (/^(?:unix|unix-abstract|vsock|xds):/.test(text)) return null;
  return parseHostPort(text.replace(/^(?:dns:(?:\/\/[^/]*\/)?|ipv[46]:)/, ""), 443);
}

/** A check accepts no longer file. */
const maxScanned = 50_000;

/** Comments and texts, which may contain anything. */
const notCode = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g;

/**
 * Returns the full name of a method. Uptime Kuma accepts a service without its package, and a
 * method with a small first letter.
 */
function findMethod(proto: string, service: string, method: string): string {
  const code = proto.slice(0, maxScanned).replaceAll(notCode, " ");
  const name = service.slice(service.lastIndexOf(".") + 1);
  const [, packageName] = /\bpackage\s+([\w.]+)\s*;/.exec(code) ?? [];
  const [, body = ""] = code.split(new RegExp(`\\bservice\\s+${RegExp.escape(name)}\\s*\\{`));
  const toSmall = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
  const methods = [...body.matchAll(/\brpc\s+(\w+)/g)].map(([, found = ""]) => found);
  const full = methods.find((one) => one === method || toSmall(one) === method) ?? method;
  return `${packageName === undefined ? name : `${packageName}.${name}`}/${full}`;
}

/** Uptime Kuma accepts metadata as a JSON object. */
function readMetadata(row: Row) {
  const given = row.json("grpc_metadata");
  const entries = typeof given === "object" && given !== null ? Object.entries(given) : [];
  return entries.map(([key, value]) => ({ key, value: String(value) }));
}

/** Uptime Kuma calls a unary method by its `.proto` file and searches the response as JSON text. */
export function translateGrpc(
  builder: ReadingBuilder,
  origin: Origin,
  row: Row,
  timeoutMs: number,
): Translated {
  const found = parseTarget(row.text("grpc_url") ?? "");
  if (found === null) {
    builder.leaveOut(origin, "It has no host and port to call.");
    return null;
  }
  const [host, port] = found;
  const proto = row.text("grpc_protobuf") ?? "";
  const keyword = row.text("keyword");
  const search = row.flag("invert_keyword") ? expect.bodyLacks : expect.bodyContains;
  const service = row.text("grpc_service_name") ?? "";
  const call = {
    ...{ host, port, timeoutMs, isSecure: row.flag("grpc_enable_tls"), proto },
    method: findMethod(proto, service, row.text("grpc_method") ?? ""),
    message: row.text("grpc_body") ?? "",
    assertions: keyword === null ? [] : [search(keyword)],
  };
  const findFault = (payload: object) => {
    const body = { ...payload, name: origin.name } as Record<string, unknown>;
    const resource = { type: "check" as const, logicalId: origin.origin, payload: body };
    return findResourceFault(resource, { allowPrivate: true });
  };
  const fault = findFault(grpcMethodPayload(call));
  if (fault !== null) {
    const why = `The method cannot be called. ${fault} The check only connects.`;
    builder.change(origin, "type", {
      ...{ from: "grpc-keyword", to: `TCP connection to port ${port}`, why },
    });
    return { payload: tcpPayload({ host, port, timeoutMs }) };
  }
  const metadata = readMetadata(row);
  const payload = grpcMethodPayload({ ...call, metadata });
  const isSent = findFault(payload) === null;
  if (metadata.length > 0) {
    builder.change(origin, "metadata", {
      from: "stored, but not sent",
      to: isSent ? "sent with each call" : "none",
      why: isSent
        ? "Uptime Kuma does not send metadata."
        : "It has a name or value that a call cannot have.",
    });
  }
  return { payload: isSent ? payload : grpcMethodPayload(call) };
}
