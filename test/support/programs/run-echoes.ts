// A process that starts the engine, makes the runs given as JSON in its arguments, and prints the
// results as one JSON line. Tests start it as another user or in a separate network namespace.

import { type EchoRequest, startIcmpEngine } from "../../../src/kinds/icmp/prober/index.ts";

const engine = await startIcmpEngine({});
const requests = process.argv.slice(2).map((text): EchoRequest => asRequest(JSON.parse(text)));
const runs = await Promise.all(requests.map((request) => engine.run(request)));
process.stdout.write(
  `${JSON.stringify({ modes: engine.modes, runs, counters: engine.counters() })}\n`,
);
await engine.close();

// The tests beside this file are the only callers.
function asRequest(value: unknown): EchoRequest {
  return value as EchoRequest;
}
