// Process that concurrently traces the paths given as JSON in its arguments, and prints the
// outcomes as one line of JSON. Tests start it in network namespaces and as another user.

import { serve } from "../../../src/kinds/of/traceroute/prober/measure.ts";
import type { TracerouteRequest } from "../../../src/kinds/of/traceroute/request.ts";
import { createReach } from "../../../src/platform/net/reach.ts";
import { createNameResolver } from "../../../src/platform/net/resolve.ts";

const tools = { resolver: createNameResolver(), reach: createReach({ allow: [], deny: [] }) };
const requests = process.argv
  .slice(2)
  .map((text): TracerouteRequest => asRequest(JSON.parse(text)));
const outcomes = await Promise.all(requests.map((request) => serve(request, tools)));
process.stdout.write(`${JSON.stringify(outcomes)}\n`);

// Casts an argument to its type. The cast is safe, because only tests of this project start the
// process.
function asRequest(value: unknown): TracerouteRequest {
  return value as TracerouteRequest;
}
