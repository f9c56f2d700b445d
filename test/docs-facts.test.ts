/** The docs name only operations, fields, metrics, settings, commands and scripts that exist. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { settings } from "../src/config.ts";
import { docsOutline } from "../src/pages/docs/page.ts";
import { writeApiDocument } from "./support/project/api-document.ts";
import { projectFolder, readSourceFiles } from "./support/project/source-files.ts";

const read = (path: string) => readFileSync(join(projectFolder, path), "utf8");
const pages = ["README.md", "SECURITY.md", ...globSync("docs/*.md", { cwd: projectFolder })].map(
  (path) => ({ path, text: read(path) }),
);
const source = readSourceFiles("{src,bin,web}/**/*.{ts,tsx,js}")
  .filter(({ path }) => !/\.test\.tsx?$|^web\/dist\/|^web\/api\/schema\.d\.ts$/.test(path))
  .map(({ text }) => text)
  .join("\n");

/** All matches of a pattern in the docs, as `page: match`, without those that exist. */
function listUnknown(pattern: RegExp, exists: (name: string) => boolean): string[] {
  return pages.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)]
      .map(([, name = ""]) => name)
      .filter((name) => !exists(name))
      .map((name) => `${path}: ${name}`),
  );
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/** Operations as `GET /v1/checks/{}`. */
let operations: string[];
before(async () => {
  const { document, routes } = await writeApiDocument();
  const documented = Object.entries(document.paths).flatMap(([path, byMethod]) =>
    Object.keys(byMethod).map((method) => `${method.toUpperCase()} ${path}`),
  );
  // Probes connect there by WebSocket, which is no operation.
  const all = [...documented, ...routes.map(({ name }) => name), "GET /v1/probe"];
  operations = all.map((name) => name.replace(/\{\w+\}|:\w+/g, "{}"));
});

test("every path of the API in the docs is an operation, with its method if it is named", () => {
  const method = "(?:\\b(?:GET|POST|PUT|PATCH|DELETE) |(?<![\\w.}]))";
  const start = "(?:…|/v1|/v2|/accounts/(?:\\{\\w+\\}|\\$ACCOUNT))";
  const unknown = listUnknown(
    new RegExp(`(${method}${start}/[\\w/{}<>$.-]*[\\w}>])`, "g"),
    (written) => {
      const name = written.replace(/\{\w+\}|<\w+>|\$[A-Z]+/g, "{}");
      const [method, path = ""] = /^[A-Z]+ /.test(name) ? name.split(" ") : [null, name];
      return (method === null ? methods : [method]).some((one) =>
        path.startsWith("…")
          ? operations.some((known) => known.startsWith(one ?? "") && known.endsWith(path.slice(1)))
          : operations.includes(`${one} ${path}`),
      );
    },
  );
  assert.deepEqual(unknown, []);
});

test("every metric in the docs is one of the product", () => {
  const unknown = listUnknown(
    /`(vedette_[a-z_]+[a-z])[`{ ]/g,
    (name) =>
      source.includes(name) ||
      // Metrics of a kind are composed of its path and the name of a figure.
      /^vedette_(?:icmp|ssl)_/.test(name),
  );
  assert.deepEqual(unknown, []);
});

test("every field and constant in the docs exists in the code", () => {
  const isWord = (name: string) => new RegExp(`\\b${name}\\b`).test(source);
  const known = new Set([
    // Of other programs.
    ...["NODE_EXTRA_CA_CERTS", "CAP_NET_RAW", "POSTGRES_PASSWORD", "NATS_PASSWORD"],
    "useChat",
  ]);
  // A secret setting can be read from a file.
  const exists = (name: string) =>
    known.has(name) || isWord(name) || isWord(name.replace(/_FILE$/, ""));
  const fields = listUnknown(/`([a-z]+[A-Z][A-Za-z0-9]*)`/g, exists);
  const constants = listUnknown(/`([A-Z][A-Z0-9]*_[A-Z0-9_]+)`/g, exists);
  assert.deepEqual([...fields, ...constants], []);
});

test("every command and script in the docs exists", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const commands = [...read("bin/vedette.ts").matchAll(/^ {2}"?([a-z-]+)"?: \{/gm)].map(
    ([, name]) => name,
  );
  const unknownScripts = listUnknown(/npm run (?:--silent )?([a-z][\w:-]*)/g, (name) =>
    Object.hasOwn(scripts, name),
  );
  const unknownCommands = listUnknown(/npm run (?:--silent )?vedette ([a-z-]+)/g, (name) =>
    commands.includes(name),
  );
  const unknownBenches = listUnknown(
    /npm run bench ([a-z-]+)/g,
    (name) => globSync(`bench/${name}{,.ts}`, { cwd: projectFolder }).length > 0,
  );
  assert.deepEqual([...unknownScripts, ...unknownCommands, ...unknownBenches], []);
  const listed = [...read("docs/commands.md").matchAll(/^\| `([a-z-]+)(?: [A-Z …]+)?` \|/gm)];
  assert.deepEqual(listed.map(([, name]) => name).toSorted(), commands.toSorted());
});

test("docs/configure.md lists every setting that can be read from a file", () => {
  const [, section = ""] = read("docs/configure.md").split("## Secrets in files\n");
  const [paragraph = ""] = section.trim().split("\n\n");
  const listed = [...paragraph.matchAll(/`([A-Z][A-Z0-9_]+[A-Z])`/g)].map(([, name]) => name);
  const secret = Object.entries(settings).filter(([, setting]) => "isSecret" in setting);
  assert.deepEqual(listed.toSorted(), secret.map(([name]) => name).toSorted());
});

test("the README lists every guide in the sections of the docs", () => {
  const [, table = ""] = read("README.md").split("## Read on\n");
  const rows = [...table.matchAll(/^\| ([A-Z][\w ]+) \| (.*) \|$/gm)].map(
    ([, title = "", cell = ""]) => ({
      title,
      guides: [...cell.matchAll(/\(docs\/([\w-]+)\.md\)/g)].map(([, name = ""]) => name),
    }),
  );
  assert.deepEqual(rows.slice(0, docsOutline.length), docsOutline);
});
