import { loadModule } from "../load-module.ts";

const { listCheckKinds } = await loadModule<{ listCheckKinds: () => unknown }>(
  "src/checks/checks/check-kinds.ts",
);

/** Returns the response body of `GET /v1/check-kinds`, for tests of the web application. */
export const readCheckKinds = () => JSON.parse(JSON.stringify(listCheckKinds()));
