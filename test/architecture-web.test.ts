/** Architecture rules for the web application. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { publicScreens, screens, settingsSections, statusPageTabs } from "../src/pages/screens.ts";
import { auditedThings } from "../src/screens/change-stream/change-feed.ts";
import { findNamesOfKindsInWeb } from "./support/project/kind-rules.ts";
import { findSharedKeys, listQueryKeys } from "./support/project/query-keys.ts";
import { findImportCycles, readSourceFiles } from "./support/project/source-files.ts";
import {
  findImportsPastInterface,
  findModuleCycles,
  listModuleImports,
  listModules,
} from "./support/project/web-modules.ts";

/** A module imports only modules listed before it. */
const modules = [
  "api",
  "parts",
  "editing",
  "client-certificates",
  "kinds",
  "sign-in",
  "locations",
  "alerts",
  "maintenance",
  "on-call",
  "incidents",
  "groups",
  "checks",
  "status-pages",
  "dashboards",
  "variables",
  "agent",
  "settings",
  "first-start",
  "now",
  "palette",
  "live",
  "shell",
  "app",
];

const web = readSourceFiles("web/*/**/*.{ts,tsx}").filter(
  ({ path }) => !/^web\/(?:dist\/|api\/schema\.d\.ts)/.test(path),
);

const product = web.filter(({ path }) => !/\.test\.tsx?$/.test(path));

const format = ({ file, target }: { readonly file: string; readonly target: string }) =>
  `${file} -> ${target}`;

function assertNone(found: readonly string[], rule: string): void {
  assert.deepEqual(found, [], rule);
}

test("every module of the web application is listed", () => {
  assert.deepEqual(listModules(product), modules.toSorted());
});

test("a module of the web application imports only modules listed before it", () => {
  const broken = listModuleImports(product).filter(
    ({ from, to }) => modules.indexOf(to) >= modules.indexOf(from),
  );
  assertNone(broken.map(format), "imports of later modules");
  assertNone(
    findModuleCycles(product).map((group) => group.join(", ")),
    "modules that import each other",
  );
  assertNone(findImportCycles(product), "import cycles");
});

test("modules of the web application are imported through their index.ts", () => {
  assertNone(findImportsPastInterface(product).map(format), "imports past index.ts");
  const undocumented = product
    .filter(({ path }) => /^web\/[^/]+\/index\.ts$/.test(path))
    .filter(({ text }) => !text.startsWith("/**"))
    .map(({ path }) => path);
  assertNone(undocumented, "public interfaces that do not begin with their purpose");
});

/** Modules of the server that need no other module of it, and no types of Node. */
const sharedWithServer = /^src\/(?:pages|platform\/text)\//;

test("the type check of the web application does not check the server again", () => {
  const supports = readSourceFiles("test/support/**/*.{ts,tsx}");
  const files = new Map([...web, ...supports].map((file) => [file.path, file]));
  const seen = new Set(web.map(({ path }) => path));
  for (const path of seen) for (const next of files.get(path)?.imports ?? []) seen.add(next);
  const ofServer = [...seen].filter((path) => path.startsWith("src/"));
  assertNone(
    ofServer.filter((path) => !sharedWithServer.test(path)),
    "modules of the server: use test/support/load-module.ts",
  );
});

/** Addresses of the screens, which the server routes too. */
const sharedTable = "src/pages/screens.ts";

test("the web application uses the server only through web/api", () => {
  const [table] = readSourceFiles(sharedTable);
  assert.deepEqual(table?.imports, [], `${sharedTable} imports nothing`);
  const reaching = product.flatMap((file) =>
    file.imports
      .filter((target) => /^(?:src|bin|test)\//.test(target) && target !== sharedTable)
      .map((target) => `${file.path} -> ${target}`),
  );
  const fetching = web
    .filter((file) => !file.path.startsWith("web/api/"))
    .filter((file) => /\bfetch\(|XMLHttpRequest|new EventSource\(/.test(file.text))
    .map((file) => file.path);
  const ofNode = product
    // Its texts are scripts for Node.js.
    .filter(({ path }) => path !== "web/kinds/scripts/templates.ts")
    .filter((file) => /from "node:|\bprocess\.|\bBuffer\b/.test(file.text))
    .map((file) => file.path);
  assertNone(reaching, "web files that import the server");
  assertNone(ofNode, "web files that use Node.js");
  assertNone(fetching, "web files outside web/api that fetch");
});

test("every event that readers receive re-fetches a query", () => {
  const sent = Object.keys(auditedThings).filter((name) => auditedThings[name] !== null);
  const named = product.flatMap(({ text }) =>
    [...text.matchAll(/\bevents: \[([^\]]*)\]|readonly EventName\[\] = \[([^\]]*)\]/g)].flatMap(
      ([, inline = "", shared = ""]) => [...`${inline}${shared}`.matchAll(/"([^"]+)"/g)],
    ),
  );
  const known = new Set(named.map(([, name]) => name));
  const missing = [...sent, "check.result", "delivery"].filter((name) => !known.has(name));
  assertNone(missing, "events that no query names");
});

test("the queries of a module are in its queries.ts", () => {
  const broken = product
    .filter(({ path }) => !/^web\/api\/|\/queries\.ts$/.test(path))
    .filter(({ text }) => /[qQ]ueryOptions\(|\bqueryFn:/.test(text))
    .map(({ path }) => path);
  assertNone(broken, "files that define a query");
});

test("no two queries share a key", () => {
  const keys = listQueryKeys(product);
  const defined = product.flatMap(({ text }) => [...text.matchAll(/[qQ]ueryOptions(?:<\w+>)?\(/g)]);
  assert.equal(keys.length, defined.length, "the key of every query is an array literal");
  assertNone(findSharedKeys(keys), "queries that share a key");
});

test("queries are invalidated with renewQueries, which also restarts a first load", () => {
  const broken = product
    .filter(({ path }) => !/^web\/(?:api|live)\//.test(path))
    .filter(({ text }) => text.includes("invalidateQueries("))
    .map(({ path }) => path);
  assertNone(broken, "files that call invalidateQueries");
});

test("the values of the check editor have the types of the API", () => {
  const untyped = /Record<string, unknown>|\bas unknown as\b|\btype Fields\b[^;]*parts\/fields\.ts/;
  const broken = product
    .filter(({ path }) => /^web\/(?:kinds|checks\/editor)\//.test(path))
    .filter(({ text }) => untyped.test(text))
    .map(({ path }) => path);
  assertNone(broken, "files with untyped values");
});

test("the router takes the address of every screen from the table, and has all of them", () => {
  const router = product.filter(({ path }) =>
    /^web\/app\/(?:router\.tsx|.*-routes\.ts)$/.test(path),
  );
  const text = router.map((file) => file.text).join("\n");
  const literal = [...text.matchAll(/^ {2}path: "(\/.+)"/gm)].map(([, path]) => path ?? "");
  assertNone(literal, "routes with their own address");
  const tables = { screens, statusPageTabs, settingsSections, publicScreens };
  const missing = Object.entries(tables).flatMap(([name, table]) =>
    Object.keys(table)
      .map((key) => `path: ${name}.${key},`)
      .filter((line) => !text.includes(line)),
  );
  assertNone(missing, "screens without a route");
});

test("nothing outside web/kinds names a kind, its folder or its fields", () => {
  assertNone(findNamesOfKindsInWeb(product), "files that name a kind");
});

test("the web application takes all colours from the tokens", () => {
  const colored = [...product, ...readSourceFiles("web/**/*.module.css")]
    .filter((file) => !file.path.startsWith("web/dist"))
    .filter((file) => /#[0-9a-f]{3,8}\b(?=[;"',)\s])|\brgba?\(|\bhsla?\(/i.test(file.text))
    .map((file) => file.path);
  assertNone(colored, "files with literal colours");
});
