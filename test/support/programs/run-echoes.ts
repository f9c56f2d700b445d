// Process that starts the ping engine, sends the echoes given as JSON in its arguments, and prints
// the results as one line of JSON. Tests start it as another user or in a separate network
// namespace.

import { type EchoRequest, startIcmpEngine } from "../../../src/kinds/of/icmp/prober/index.ts";

const engine = await startIcmpEngine({});
const requests = process.argv.slice(2).map((text): EchoRequest => asRequest(JSON.parse(text)));
const runs = await Promise.all(requests.map((request) => engine.run(request)));
process.stdout.write(
  `${JSON.stringify({ modes: engine.modes, runs, counters: engine.counters() })}\n`,
);
await engine.close();

// Casts an argument to its type. The cast is safe, because only tests of this project start the
// process.
function asRequest(value: unknown): EchoRequest {
  return value as EchoRequest;
}
