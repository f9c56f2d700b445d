import { loadWebFiles, screenRoutes } from "../../../src/app/web-routes.ts";
import { prepareWeb } from "../../../web/build.ts";
import type { Row } from "./authorisation-row.ts";

// The web application is built here, because the server loads its files only on start.
await prepareWeb(() => {});
const files = [...loadWebFiles().keys()].filter((path) => path !== "/index.html");
const isAsset = (path: string) => path.startsWith("/assets/");

const open = (route: string, path: string = route): Row => ({
  route: `GET ${route}`,
  least: null,
  request: () => ({ path }),
  status: 200,
});

/** Rows of the web application, which is public because all its data comes from the API. */
export const webRows: readonly Row[] = [
  ...screenRoutes.map((screen) => open(screen, screen.replace("*", "anything"))),
  ...files.filter((path) => !isAsset(path)).map((path) => open(path)),
  open("/assets/*", files.find(isAsset)),
];
