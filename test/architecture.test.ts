/** Architecture rules for the whole project. Every rule is tested here or in a neighbour file. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { optionalPrograms } from "./support/programs/programs.ts";
import {
  findCrossings,
  findNamesOfKinds,
  findProbesThatKnowMore,
} from "./support/project/kind-rules.ts";
import { areas, moduleOf, modules } from "./support/project/modules.ts";
import {
  findImportCycles,
  projectFolder,
  readSourceFiles,
  type SourceFile,
} from "./support/project/source-files.ts";

const maxFunctionLines = 70;
const maxParameters = 4;
const maxColumns = 100;

const everything = readSourceFiles("{bin,src,test,bench,web}/**/*.{ts,tsx}").filter(
  ({ path }) => !/^web\/(?:dist\/|api\/schema\.d\.ts)/.test(path),
);
const source = everything.filter((file) => file.path.startsWith("src/"));
const product = source.filter((file) => !file.path.endsWith(".test.ts"));

function assertNone(found: readonly string[], rule: string): void {
  assert.deepEqual(found, [], rule);
}

test("every module is listed and documents its purpose in index.ts", () => {
  for (const module of new Set(product.map((file) => moduleOf(file.path)))) {
    if (module === null) continue;
    assert.ok(modules.includes(module), `${module} is not in the list of modules`);
    const entry = product.find((file) => file.path === `${module}/index.ts`);
    assert.ok(entry, `${module} has no index.ts`);
    const opening = entry.text.slice(0, entry.text.indexOf("*/")).split("\n").length;
    assert.ok(entry.text.startsWith("/**"), `${entry.path} does not begin with its purpose`);
    assert.ok(opening >= 3 && opening <= 9, `${entry.path} opens with ${opening} lines`);
  }
});

test("a module imports only areas and modules listed before it, through their index.ts", () => {
  const broken = product.flatMap((file) => {
    const own = moduleOf(file.path);
    if (own === null) return [];
    return file.imports
      .filter((target) => {
        const other = moduleOf(target);
        if (other === null || other === own) return false;
        const isBefore = modules.indexOf(other) < modules.indexOf(own);
        return !isBefore || target !== `${other}/index.ts`;
      })
      .map((target) => `${file.path} -> ${target}`);
  });
  assertNone(broken, "imports of later areas or modules, or past index.ts");
});

test("src/app imports modules through their index.ts", () => {
  const broken = product
    .filter((file) => file.path.startsWith("src/app/"))
    .flatMap((file) =>
      file.imports
        .filter((target) => moduleOf(target) !== null && !target.endsWith("/index.ts"))
        .map((target) => `${file.path} -> ${target}`),
    );
  assertNone(broken, "src/app imports modules by index.ts");
});

/** Pure text functions and a map, shared by layers that may not import the platform. */
const pureText = "platform/text";

/** Layer of a file: a folder of `src`, "area" for all areas, a shelf of `src/kinds`. */
function layerOf(path: string): string {
  const isPure = path.startsWith(`src/${pureText}/`) || path === "src/platform/bounded-map.ts";
  if (isPure) return pureText;
  const [, folder = "", shelf = ""] = path.split("/");
  if (Object.hasOwn(areas, folder)) return "area";
  return folder === "kinds" && shelf !== "" && !shelf.endsWith(".ts") ? `kinds/${shelf}` : folder;
}

/** Layers from the lowest to the highest, with the layers that each may import besides itself. */
const layers: Readonly<Record<string, readonly string[]>> = {
  [pureText]: [],
  contract: [],
  pages: [pureText],
  platform: [pureText],
  sandbox: ["contract", "platform", pureText],
  "kinds/kit": ["sandbox", "contract", "platform", pureText],
  "kinds/wire": ["kinds/kit", "contract", "platform", pureText],
  "kinds/of": ["kinds/wire", "kinds/kit", "sandbox", "contract", "platform", pureText],
  kinds: ["kinds/of", "kinds/wire", "kinds/kit"],
  probe: ["kinds", "kinds/wire", "kinds/kit", "contract", "platform", pureText],
  area: ["kinds", "kinds/wire", "kinds/kit", "sandbox", "contract", "platform", "pages", pureText],
  "config.ts": ["platform", "probe", pureText],
  app: [
    "config.ts",
    "area",
    "probe",
    "kinds",
    "kinds/wire",
    "kinds/kit",
    "sandbox",
    "contract",
    "platform",
    "pages",
    pureText,
  ],
};

test("layers import only layers below them", () => {
  const order = Object.keys(layers);
  for (const [layer, below] of Object.entries(layers))
    assert.ok(
      below.every((one) => order.indexOf(one) < order.indexOf(layer)),
      layer,
    );
  const broken = product.flatMap((file) => {
    const own = layerOf(file.path);
    return file.imports
      .filter((target) => target.startsWith("src/") || target.startsWith("test/"))
      .filter((target) => layerOf(target) !== own && !layers[own]?.includes(layerOf(target)))
      .map((target) => `${file.path} -> ${target}`);
  });
  assertNone(broken, "no layer imports one above it");
});

test("kinds do not import each other, and probes import only probers", () => {
  assertNone(findCrossings(product), "kinds that import each other");
  assertNone(findProbesThatKnowMore(product), "probe files that import more than a prober");
});

test("nothing outside src/kinds names a kind, its folder or its fields", () => {
  assertNone(findNamesOfKinds(product), "files that name a kind");
});

test("src has no import cycles", () => {
  assertNone(findImportCycles(product), "import cycles");
});

test("lines stay within 100 columns", () => {
  const wide = everything.flatMap((file) =>
    file.lines
      .map((line, index) => ({ line, place: `${file.path}:${index + 1}` }))
      // A template literal that a reader sees as prose or markup cannot always be broken.
      .filter(({ line }) => line.length > maxColumns && !/[`"']|https?:/.test(line))
      .map(({ place }) => place),
  );
  assertNone(wide, "long lines");
});

/** Formatting is Biome's, so a declaration at some depth ends at the next brace of that depth. */
function* functionsOf(file: SourceFile): Generator<{ name: string; start: number; lines: number }> {
  const opening =
    /^(\s*)(?:export )?(?:async )?(?:function\*? (\w+)|(?:static |async |get |#)*(\w+)\()/;
  for (const [index, line] of file.lines.entries()) {
    const match = opening.exec(line);
    if (
      match === null ||
      // Callbacks end in their own way, such as "});".
      /=> \{$/.test(line) ||
      /^\s*(?:if|for|while|switch|return|await|super|test|before|after|describe)\b/.test(line)
    )
      continue;
    const [, indent = "", name, method] = match;
    if (!opensBlock(file.lines, index, indent)) continue;
    const end = file.lines.findIndex((next, at) => at > index && next === `${indent}}`);
    if (end > 0) yield { name: name ?? method ?? "", start: index + 1, lines: end - index + 1 };
  }
}

/** A signature ends with a brace, at once or where its parameters close; a call does not. */
function opensBlock(lines: readonly string[], index: number, indent: string): boolean {
  const line = lines[index] ?? "";
  const [open] = /\(\{?$/.exec(line) ?? [];
  if (open === undefined) return line.endsWith("{");
  const start = `${indent}${open === "(" ? ")" : "}"}`;
  const close = lines.find((next, at) => at > index && next.startsWith(start)) ?? "";
  return close.endsWith("{") && !close.endsWith("=> {");
}

test("functions stay within 70 lines", () => {
  const long = [...everything, ...readSourceFiles("src/**/*.js")]
    .filter((file) => !/\.test\.tsx?$/.test(file.path))
    .flatMap((file) =>
      [...functionsOf(file)]
        // Registering routes is a list, not a procedure.
        .filter(({ name, lines }) => lines > maxFunctionLines && !/^add\w*Routes$/.test(name))
        .map(({ name, start, lines }) => `${file.path}:${start} ${name} has ${lines} lines`),
    );
  assertNone(long, "long functions");
});

test("functions take at most four parameters", () => {
  const signature = /function\*? (\w+)(?:<[^(]*>)?\(([^)]*)\)/g;
  const broken = everything.flatMap((file) =>
    [...file.text.matchAll(signature)]
      .filter(([, , list = ""]) => countParameters(list) > maxParameters)
      .map(([, name]) => `${file.path} ${name}`),
  );
  assertNone(broken, "functions with too many parameters");
});

function countParameters(list: string): number {
  const flat = list.replaceAll(/\{[^}]*\}|<[^>]*>|\[[^\]]*\]/g, "");
  return flat.split(",").filter((part) => part.trim() !== "").length;
}

test("files have descriptive kebab-case names", () => {
  const vague = /^(utils?|helpers?|common|misc|shared|types|manager|base)$/;
  const broken = everything
    .map((file) => file.path)
    .filter((path) => {
      const [name = ""] = (path.split("/").pop() ?? "").split(".");
      return !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || vague.test(name) || /-?\d+$/.test(name);
    });
  assertNone(broken, "names of files");
});

test("only config.ts reads the environment", () => {
  const broken = product
    .filter((file) => file.path !== "src/config.ts" && file.text.includes("process.env"))
    .map((file) => file.path);
  assertNone(broken, "process.env");
});

test("only platform/node-modules.ts loads node:http, so that undici is loaded once", () => {
  const broken = product
    .filter(({ text }) => /^import (?!type\b)[^;]*from "node:https?";/m.test(text))
    .map(({ path }) => path);
  assertNone(broken, "import { http } from platform/node-modules.ts instead");
});

test("routes contain no SQL and import no store", () => {
  const broken = product
    .filter((file) => file.path.endsWith("routes.ts"))
    .filter(({ text }) => /store\.ts";|\b(?:runSql|runPrepared)\b/.test(text))
    .map((file) => file.path);
  assertNone(broken, "routes with SQL");
});

test("SQL is in stores only, and domain code takes the time as an argument", () => {
  const sqlOutside = product
    .filter((file) => moduleOf(file.path) !== null)
    .filter((file) => !/(store|bootstrap)\.ts$/.test(file.path))
    .filter((file) => /\b(?:runSql|runPrepared)\b/.test(file.text))
    .map((file) => file.path);
  const clocked = product
    .filter((file) => moduleOf(file.path) !== null)
    .filter((file) => /new Date\(\)|Date\.now\(\)/.test(file.text))
    .map((file) => file.path);
  assertNone(sqlOutside, "SQL outside a store");
  assertNone(clocked, "time is passed in");
});

test("store functions take the database first and the account second", () => {
  // What a person signs in with is theirs, whatever accounts they belong to.
  const personal = "users|sessions|sign-in-links|device-logins|second-factors|passkeys|oidc";
  const exempt = new RegExp(`(accounts/(${personal})/store|accounts/store|locations/store)\\.ts$`);
  // A token proves its account, visitors name none; schedulers, recorders, retention and checks of
  // encryption serve all of them.
  const wide = /^(take|find\w+By(?:Token|Name)|listSealed|delete\w+Before|listWatched|save\w+By)/;
  const signature =
    /export (?:async )?function (?!to[A-Z])(\w+)\(\s*(\w+)[^,)]*(?:,\s*(\w+)[^,)]*)?/g;
  const broken = product
    .filter((file) => /\/store\.ts$/.test(file.path))
    .flatMap((file) =>
      [...file.text.matchAll(signature)]
        .filter(([, name = "", first, second]) => {
          const namesAccount = second === "accountId" || second === "actor";
          const isWide = wide.test(name) || exempt.test(file.path);
          return !["db", "client"].includes(first ?? "") || !(namesAccount || isWide);
        })
        .map(([, name]) => `${file.path} ${name}`),
    );
  assertNone(broken, "signatures of stores");
});

test("no file names a path of one machine or the host of a package registry", () => {
  const files = globSync(
    ["*.{md,json,ts}", "{.ci,bin,src,test,bench,docs,migrations}/**/*.*", ".ci/run", ".npmrc"],
    { cwd: projectFolder },
  ).filter((path) => !path.startsWith("node_modules"));
  const broken = files.filter((path) => {
    const text = readFileSync(join(projectFolder, path), "utf8");
    return /\/(?:work|root|farm)\/[a-z]|registry\.npm[j]s|deb\.debia[n]\.org/.test(text);
  });
  assertNone(broken, "paths of one machine");
});

test("programs that tests start are listed or present on every machine", () => {
  const known = ["sh", "/bin/sh", "id", "npm", "apt-get", "apt-cache", "mount", "umount"];
  const started =
    /\b(?:spawn|spawnSync|execFile|execFileSync|exec|execSync|runChild)\(\s*["'`](\S+?)["'`\s]/g;
  const broken = everything
    .filter((file) => /^test\/|\.test\.ts$/.test(file.path))
    .flatMap((file) =>
      [...file.text.matchAll(started)]
        .filter(([, name = ""]) => !known.includes(name) && !Object.hasOwn(optionalPrograms, name))
        .map(([, name]) => `${file.path} starts ${name}, which programs.ts does not list`),
    );
  assertNone(broken, "programs that a machine may lack");
});

/** This file, the polling helper, random kill times, slow servers and fault injection. */
const mayWait =
  /\/(?:architecture\.test|wait-until|random-moment|model-server|machines\/[a-z-]+)\.ts$/;

test("no test sleeps or asserts on wall time", () => {
  const rules: readonly (readonly [RegExp, string])[] = [
    [/performance\.now\(\)\s*-|process\.hrtime/, "measures wall time: use measureCpuMs"],
    [/Date\.now\(\)\s*-\s*\w+\)?\s*[<>]/, "compares a duration: use measureCpuMs"],
    [/\b(?:took|elapsed)\w*\s*[<>]=?\s*\w/, "compares a duration: use measureCpuMs"],
    [/setTimeout\((?:resolve|done|resume|next|r\b|\(\) => resolve)/, "sleeps: use waitUntil"],
    [/\bawait (?:sleep|delay|pause|rest)\(/, "sleeps: use waitUntil"],
    [/Atomics\.wait\(/, "sleeps: use waitUntil"],
    [/import \{[^}]*\bsetTimeout\b[^}]*\} from "node:timers\/promises"/, "sleeps: use waitUntil"],
    [/waitForTimeout\(/, "sleeps: wait for what the page shall show"],
  ];
  const broken = everything
    .filter((file) => /\.test\.ts$|^test\//.test(file.path))
    .filter((file) => !mayWait.test(file.path))
    .flatMap((file) =>
      file.lines.flatMap((line, index) =>
        rules
          .filter(([pattern]) => pattern.test(line))
          .map(([, advice]) => `${file.path}:${index + 1} ${advice}`),
      ),
    );
  assertNone(broken, "tests that depend on how busy the machine is");
});

test("every dependency is imported or a peer of an imported package", () => {
  const read = (path: string) => JSON.parse(readFileSync(join(projectFolder, path), "utf8"));
  const { dependencies } = read("package.json") as { dependencies: Record<string, string> };
  const files = globSync("{bin,src}/**/*.{ts,js,css}", { cwd: projectFolder });
  const text = files.map((path) => readFileSync(join(projectFolder, path), "utf8")).join("\n");
  const isImported = (name: string) => text.includes(`"${name}"`) || text.includes(`"${name}/`);
  const imported = Object.keys(dependencies).filter(isImported);
  const peers = imported.flatMap((name) =>
    Object.keys(read(`node_modules/${name}/package.json`).peerDependencies ?? {}),
  );
  const unused = Object.keys(dependencies).filter(
    (name) => !imported.includes(name) && !peers.includes(name),
  );
  assertNone(unused, "unused dependencies");
});

test("no test is skipped or runs alone", () => {
  const broken = everything
    .filter((file) => /\.test\.tsx?$/.test(file.path) && file.path !== "test/architecture.test.ts")
    .filter((file) => /\.only\(|\btodo: true|\bskip: true|\.skip\(["'`]/.test(file.text))
    .map((file) => file.path);
  assertNone(broken, "tests with skip, todo or only");
});
