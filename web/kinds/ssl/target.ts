import { getNumber, getText } from "../../parts/fields.ts";
import { familyOf, readHost, writeEndpoint } from "../host-text.ts";
import type { KindTarget } from "../kind.ts";

const usualPort = 443;

export const sslTarget: KindTarget<"SSL"> = {
  type: "SSL",
  label: "Certificate",
  hint: "Tests a server's TLS certificate: trust, expiry, protocol",
  isOrdered: true,
  ipFamilyPath: "request.sslConfig.ipFamily",
  target: {
    label: "Host",
    example: "shop.example.com",
    paths: ["request.sslConfig.hostname", "request.sslConfig.port"],
    read: (text) => {
      const found = readHost(text);
      const { host: hostname, port } = found;
      return { request: { sslConfig: { hostname, port: port ?? usualPort, ...familyOf(found) } } };
    },
    write: (values) => {
      const port = getNumber(values, "request.sslConfig.port");
      const host = getText(values, "request.sslConfig.hostname");
      return writeEndpoint(host, port === usualPort ? null : port);
    },
  },
};
