import { getNumber, getText } from "../../parts/fields.ts";
import { familyOf, readHost, writeEndpoint } from "../host-text.ts";
import type { KindTarget } from "../kind.ts";

export const tcpTarget: KindTarget<"TCP"> = {
  type: "TCP",
  label: "TCP port",
  hint: "Connects to a TCP port, and can send data and test the response",
  isOrdered: true,
  ipFamilyPath: "request.ipFamily",
  target: {
    label: "Host and port",
    example: "db.example.com:5432",
    paths: ["request.hostname", "request.port"],
    read: (text) => {
      const found = readHost(text);
      return { request: { hostname: found.host, port: found.port, ...familyOf(found) } };
    },
    write: (values) =>
      writeEndpoint(getText(values, "request.hostname"), getNumber(values, "request.port")),
  },
};
