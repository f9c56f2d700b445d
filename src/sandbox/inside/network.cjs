// Redirects connections of clients that do not use a proxy, such as database clients, WebSockets,
// gRPC, and `http` in Node.js versions without proxy support. Without redirection, the runner
// accepts only connections to ports 80 and 443. A redirected connection goes to the proxy, at an
// address that encodes the target. The redirection is not a security boundary, because the runner
// checks each target itself.
"use strict";
const dns = require("node:dns");
const { readFileSync } = require("node:fs");
const net = require("node:net");

const proxyPort = 3128;
const directPorts = [80, 443, proxyPort];
/** Prefix of addresses that encode a target. `readTarget` in egress.ts decodes these addresses. */
const prefix = "fd56:6564:6574:7465:1";

function encode(address, port) {
  const [a, b, c, d] = address.split(".").map(Number);
  const groups = [port, a * 256 + b, c * 256 + d].map((group) => group.toString(16));
  return [prefix, ...groups].join(":");
}

/**
 * Returns whether a server of the script listens on a port. Connections to this server are not
 * redirected.
 */
function isOwnPort(port) {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const listening = "0A";
  return ["tcp", "tcp6"].some((file) => {
    try {
      const rows = readFileSync(`/proc/net/${file}`, "utf8").split("\n").slice(1);
      return rows.some((row) => {
        const [, local = "", , state] = row.trim().split(/\s+/);
        return state === listening && local.endsWith(ending);
      });
    } catch {
      return false;
    }
  });
}

/**
 * Converts `localhost` and `::1` to 127.0.0.1, and an IPv4-mapped address to its IPv4 address.
 * Returns other hosts unchanged.
 */
function toPlainHost(host) {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(host);
  if (mapped !== null) return mapped[1];
  return host === "::1" || /(^|\.)localhost\.?$/i.test(host) ? "127.0.0.1" : host;
}

/**
 * Returns a DNS lookup function whose results are encoded addresses. The function looks up only
 * IPv4 addresses, because an encoded address has no room for a port and an IPv6 address.
 */
function createLookup(lookup, port) {
  return (name, options, done) => {
    const given = typeof options === "object" && options !== null ? options : {};
    lookup(name, { ...given, family: 4 }, (error, found) => {
      if (error) done(error);
      else if (Array.isArray(found)) {
        done(null, found.map(({ address }) => ({ address: encode(address, port), family: 6 })));
      } else done(null, encode(found, port), 6);
    });
  };
}

/** Returns options that connect through the proxy; `null` if the connection is not redirected. */
function redirect(options) {
  const port = Number(options.port);
  const isPort = Number.isInteger(port) && port > 0 && port < 65_536;
  if (options.path || !isPort || directPorts.includes(port)) return null;
  const host = toPlainHost(String(options.host || "localhost"));
  const version = net.isIP(host);
  if (version === 6 || (host.startsWith("127.") && isOwnPort(port))) return null;
  const { localAddress: _address, localPort: _port, ...others } = options;
  const rest = { ...others, port: proxyPort, family: 6 };
  if (version === 4) return { ...rest, host: encode(host, port) };
  return { ...rest, lookup: createLookup(options.lookup || dns.lookup, port) };
}

/**
 * Reads the options and the callback from the arguments of `connect`, in all forms that clients
 * use.
 */
function readArguments(values) {
  const [first, second] = values;
  if (Array.isArray(first)) return first;
  if (typeof first === "object" && first !== null) return [first, second];
  const done = values.find((value) => typeof value === "function");
  return [{ port: first, host: typeof second === "string" ? second : undefined }, done];
}

exports.redirectConnections = () => {
  const { connect } = net.Socket.prototype;
  net.Socket.prototype.connect = function (...values) {
    const [options, done] = readArguments(values);
    const redirected = redirect(options);
    return redirected === null ? connect.apply(this, values) : connect.call(this, redirected, done);
  };
};
