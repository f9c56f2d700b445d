/**
 * Operations that only *existing clients* call: the public command line, the Go SDK and the
 * Terraform provider, which are written for the hosted service of this API. Each returns data of
 * other modules under the names that these clients expect. `platform/http/client-dialect.ts`
 * translates the operations that they share with everybody else.
 */
export { addClientRoutes } from "./routes.ts";
