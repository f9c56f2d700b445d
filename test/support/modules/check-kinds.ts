// Declares the fields of a route's schema, which the type check of the web application needs.
import "../../../src/platform/http/openapi/document.ts";
import { listCheckKinds } from "../../../src/domains/checks/check-kinds.ts";

/** Returns the response of `GET /v1/check-kinds`, for tests of the web application. */
export const readCheckKinds = () => JSON.parse(JSON.stringify(listCheckKinds()));
