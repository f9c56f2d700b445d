import { getNumber, getText } from "../../parts/fields.ts";
import { familyOf, readHost, writeEndpoint } from "../host-text.ts";
import type { KindTarget } from "../kind.ts";

export const grpcTarget: KindTarget<"GRPC"> = {
  type: "GRPC",
  label: "gRPC",
  hint: "Asks the health service, or calls a method and tests the response",
  isOrdered: true,
  ipFamilyPath: "request.ipFamily",
  proposed: { request: { grpcConfig: { mode: "HEALTH", service: "" } } },
  target: {
    label: "Host and port",
    example: "grpc.example.com:443",
    paths: ["request.url", "request.port"],
    read: (text) => {
      const found = readHost(text);
      const [, isSecure] = /^grpc(s?):\/\//i.exec(text.trim()) ?? [];
      const tls = isSecure === undefined ? {} : { grpcConfig: { tls: isSecure !== "" } };
      return { request: { url: found.host, port: found.port, ...familyOf(found), ...tls } };
    },
    write: (values) =>
      writeEndpoint(getText(values, "request.url"), getNumber(values, "request.port")),
  },
};
