import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import fc from "fast-check";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { findSourceAddresses, type Interfaces } from "./actions.ts";
import { nameOnlyPlace } from "./private-locations/actions.ts";
import { aliveForMs, listSources, listSourcesByLocation, type Place, type Probe } from "./probe.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp({
    PROBE_LOCATION: "eu-west-3",
    PROBE_IPV6: "2001:db8:5::/56, 2001:db8::2, 2001:db8::2",
    PROBE_IPV4: "192.0.2.9,192.0.2.10",
  });
});
after(() => app.stop());

test("the IPv6 addresses of the live probes are listed, unique and sorted", async () => {
  const { status, body } = await app.call("GET", "/v1/static-ipv6s");
  assert.equal(status, 200);
  assert.deepEqual(body, ["2001:db8:5::/56", "2001:db8::2"]);
});

test("the related endpoints list them by location, as text, and for IPv4", async () => {
  const byRegion = await app.call("GET", "/v1/static-ipv6s-by-region");
  assert.deepEqual(byRegion.body, { "eu-west-3": ["2001:db8:5::/56", "2001:db8::2"] });
  const text = await app.call("GET", "/v1/static-ipv6s.txt");
  assert.match(text.headers.get("content-type") ?? "", /^text\/plain/);
  assert.equal(text.text, "2001:db8:5::/56\n2001:db8::2\n");
  assert.deepEqual((await app.call("GET", "/v1/static-ips")).body, ["192.0.2.10", "192.0.2.9"]);
  assert.deepEqual((await app.call("GET", "/v1/static-ips-by-region")).body, {
    "eu-west-3": ["192.0.2.10", "192.0.2.9"],
  });
  assert.equal((await app.call("GET", "/v1/static-ips.txt")).text, "192.0.2.10\n192.0.2.9\n");
});

test("the only location is this server, until there is a second one", () => {
  const probe = (isBuiltIn: boolean) => ({ isBuiltIn }) as Probe;
  const place = (region: string, probes: readonly Probe[] = []): Place => ({
    ...{ region, name: region, probes },
    servedBy: probes.length > 0 ? "own-probe" : "built-in-probe",
  });
  const name = (...places: readonly Place[]) => nameOnlyPlace(places, 0).map((one) => one.name);
  const [own, remote] = [place("eu-west-3", [probe(true)]), [probe(false)]];
  assert.deepEqual(name(place("eu-west-1"), own), ["eu-west-1", "This server"]);
  assert.deepEqual(name(place("eu-west-1", remote), own), ["eu-west-1", "eu-west-3"]);
  assert.deepEqual(nameOnlyPlace([own], 1), [own], "it has a private location");
  assert.deepEqual(name(place("eu-west-1", remote)), ["eu-west-1"]);
});

/** A server whose only probe is a row without heartbeats. */
async function startWithSilentProbe(t: TestContext, location: string): Promise<TestApp> {
  const silent = await startTestApp({ BUILT_IN_PROBE: "false" });
  t.after(silent.stop);
  await silent.query(
    `insert into probes (id, location, is_built_in, version, ipv4_sources, ipv6_sources,
      is_suspect, started_at, last_seen_at, limitations)
    values ('p1', $1, false, '1', '{}', '{2001:db8::1}', false, $2, $2, '{Cannot ping}')`,
    [location, silent.clock.now()],
  );
  return silent;
}

test("a silent probe is not listed", async (t) => {
  const silent = await startWithSilentProbe(t, "eu-west-1");
  silent.clock.advance(aliveForMs);
  assert.deepEqual((await silent.call("GET", "/v1/static-ipv6s")).body, ["2001:db8::1"]);
  silent.clock.advance(1);
  assert.deepEqual((await silent.call("GET", "/v1/static-ipv6s")).body, []);
  assert.deepEqual((await silent.call("GET", "/v1/static-ipv6s-by-region")).body, {});
  assert.equal((await silent.call("GET", "/v1/static-ipv6s.txt")).text, "");
});

test("without a built-in probe there is no address", async () => {
  const none = await startTestApp({ BUILT_IN_PROBE: "false" });
  try {
    assert.deepEqual((await none.call("GET", "/v1/static-ipv6s")).body, []);
  } finally {
    await none.stop();
  }
});

test("locations list their probes, alive or silent", async () => {
  const { status, body } = await app.call("GET", "/v1/locations");
  assert.equal(status, 200);
  assert.equal(body.length, 22);
  const own = body.find((place: { region: string }) => place.region === "eu-west-3");
  assert.equal(own.name, "This server");
  assert.equal(own.servedBy, "own-probe");
  assert.deepEqual(
    own.probes.map((probe: { isBuiltIn: boolean; status: string }) => [
      probe.isBuiltIn,
      probe.status,
    ]),
    [[true, "alive"]],
  );
  const [probe] = own.probes;
  assert.deepEqual(
    [probe.isSuspect, probe.ipv4, probe.ipv6],
    [false, ["192.0.2.9", "192.0.2.10"], ["2001:db8:5::/56", "2001:db8::2", "2001:db8::2"]],
  );
  const other = body.find((place: { region: string }) => place.region === "us-east-1");
  assert.equal(other.servedBy, "built-in-probe");
  assert.deepEqual(other.probes, []);
});

test("a silent probe is shown as silent, and its location as served by nobody", async (t) => {
  const silent = await startWithSilentProbe(t, "basement");
  silent.clock.advance(aliveForMs + 1);
  const { body } = await silent.call("GET", "/v1/locations");
  const place = body.find(({ region }: { region: string }) => region === "basement");
  assert.equal(place.name, "basement");
  assert.equal(place.servedBy, "nobody");
  assert.equal(place.probes[0].status, "silent");
  assert.deepEqual(place.probes[0].limitations, ["Cannot ping"]);
});

function address(family: "IPv4" | "IPv6", text: string, internal = false) {
  const common = { address: text, netmask: "", mac: "", internal, cidr: null };
  return family === "IPv4" ? { ...common, family } : { ...common, family, scopeid: 0 };
}

test("a machine publishes its global and unique-local addresses, never loopback or link-local", () => {
  const interfaces: Interfaces = {
    lo: [address("IPv6", "::1", true), address("IPv4", "127.0.0.1", true)],
    eth0: [
      address("IPv6", "fe80::1"),
      address("IPv6", "2a01:4f8::5"),
      address("IPv6", "fd12:3456::1"),
      address("IPv6", "ff02::1"),
      address("IPv4", "169.254.7.7"),
      address("IPv4", "10.1.2.3"),
      address("IPv4", "203.0.114.9"),
    ],
    eth1: [address("IPv6", "2a01:4f8::5"), address("IPv6", "::ffff:10.1.2.3")],
  };
  assert.deepEqual(findSourceAddresses(interfaces, "IPv6"), ["2a01:4f8::5", "fd12:3456::1"]);
  assert.deepEqual(findSourceAddresses(interfaces, "IPv4"), ["10.1.2.3", "203.0.114.9"]);
});

test("for any probes the list is sorted, unique and the union of the locations", () => {
  const anyProbe = fc.record({
    location: fc.constantFrom("eu-west-1", "us-east-1", "home"),
    ipv6Sources: fc.array(fc.ipV6(), { maxLength: 4 }),
  }) as fc.Arbitrary<Pick<Probe, "location" | "ipv6Sources">>;
  fc.assert(
    fc.property(fc.array(anyProbe, { maxLength: 6 }), (some) => {
      const probes = some as Probe[];
      const list = listSources(probes, "IPv6");
      assert.deepEqual(list, [...new Set(list)].sort());
      const grouped = listSourcesByLocation(probes, "IPv6");
      assert.deepEqual([...new Set(Object.values(grouped).flat())].sort(), list);
    }),
  );
});
