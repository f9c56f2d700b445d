/**
 * API operations that only *existing clients* call: the public command line, the Go SDK and the
 * Terraform provider. These clients were written for the hosted service whose API this server
 * implements. Each operation returns data of other modules under the names that these clients
 * expect. `platform/http/client-dialect.ts` translates the operations that all clients use. A *test
 * session* runs checks without alerts and statistics, and publishes its events over MQTT. A
 * *bundle* is a file that a client uploads (see the module `code-bundles`). Tables: test_sessions,
 * test_results.
 */
export { addClientRoutes } from "./routes.ts";
export { isBrokerRequest, TestEventBroker } from "./test-sessions/broker.ts";
export { testEventChannel } from "./test-sessions/test-session.ts";
