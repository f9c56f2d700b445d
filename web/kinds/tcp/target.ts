import { getNumber, getText } from "../../parts/fields.ts";
import { familyOf, readHost, writeEndpoint } from "../host-text.ts";
import type { KindTarget } from "../kind.ts";

export const tcpTarget: KindTarget = {
  type: "TCP",
  label: "TCP port",
  hint: "Connects to a TCP port, and can send data and test the response",
  isOrdered: true,
  holdsVariables: true,
  ipFamilyPath: "request.ipFamily",
  defaults: {
    request: { hostname: "", port: null, data: null, ipFamily: "IPv4", assertions: [] },
    degradedResponseTime: 3_000,
    maxResponseTime: 5_000,
  },
  target: {
    label: "Host and port",
    example: "db.example.com:5432",
    paths: ["request.hostname", "request.port"],
    read: (text) => {
      const found = readHost(text);
      return { request: { hostname: found.host, port: found.port, ...familyOf(found) } };
    },
    write: (fields) =>
      writeEndpoint(getText(fields, "request.hostname"), getNumber(fields, "request.port")),
  },
};
